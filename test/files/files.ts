import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'

/** Opens the memory at a path as its owner. */
export function open(path: string): Promise<Memory> {
  return openMemory(path, { embedder: createHashingEmbedder(), as: 'owner' })
}

/** The bytes of the memories that `closedMemory` made before. */
const made = new Map<string, Buffer>()

/** Makes a closed memory with facts 1 to `facts` of a name; returns its path. */
export async function closedMemory(name = 'own', facts = 3): Promise<string> {
  const path = join(temporaryFolder(), `${name}.db`)
  const known = made.get(`${name} ${facts}`)
  if (known !== undefined) {
    writeFileSync(path, known, { mode: 0o600 })
    return path
  }
  const memory = await open(path)
  for (let i = 1; i <= facts; i += 1) await memory.remember({ content: `${name} fact ${i}` })
  await memory.close()
  made.set(`${name} ${facts}`, readFileSync(path))
  return path
}

/** The contents of all blocks in a file, in the order in which they came. */
export function contentsIn(path: string): string[] {
  const raw = new DatabaseSync(path, { readOnly: true })
  const rows = raw.prepare('SELECT content FROM blocks ORDER BY arrival').all()
  raw.close()
  return rows.map(({ content }) => String(content))
}

/** Changes a file by SQL, as another program could. */
export function sql(path: string, ...statements: readonly string[]): void {
  const raw = new DatabaseSync(path, { defensive: false } as object)
  for (const each of statements) raw.exec(each)
  raw.close()
}
