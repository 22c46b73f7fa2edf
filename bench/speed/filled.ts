import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { cheapEmbedder } from './cheap-embedder.ts'
import { sentence } from './sentences.ts'

/** Memories full of sentences, each made once: a larger one is the next smaller one, continued. */
export interface FilledMemories {
  /** Copies the memory of that many blocks to `path`, and makes it first when nobody has. */
  readonly copyTo: (path: string, blocks: number) => Promise<void>
}

const CHUNK = 10_000
/** What a filled memory depends on. */
const MAKERS = [
  'src/block',
  'src/dream',
  'src/engine',
  'src/graph',
  'src/index',
  'src/intake',
  'src/language',
  'src/sql',
  'src/sqlite',
  'bench/speed/sentences.ts',
]

/** Memories kept in `folder`, in one of their own for each version of the code that fills them. */
export function filledMemories(folder: string, log: (line: string) => void): FilledMemories {
  const home = join(folder, `filled-${makersHash()}`)
  mkdirSync(home, { recursive: true })
  const fileOf = (blocks: number) => join(home, `${blocks}.db`)
  return {
    copyTo: async (path, blocks) => {
      if (!existsSync(fileOf(blocks))) await fill(home, blocks, log)
      copyFileSync(fileOf(blocks), path)
    },
  }
}

/** Twenty sentences a session, as an agent's work would leave them. */
export function placed(i: number) {
  return { content: sentence(i), session: `session-${Math.floor(i / 20)}` }
}

async function fill(home: string, blocks: number, log: (line: string) => void): Promise<void> {
  const smaller = readdirSync(home)
    .flatMap((name) => /^(\d+)\.db$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((size) => size < blocks)
  const from = Math.max(0, ...smaller)
  const working = join(home, `${blocks}.filling`)
  for (const end of ['', '-wal', '-shm']) rmSync(working + end, { force: true })
  if (from > 0) copyFileSync(join(home, `${from}.db`), working)
  log(`filling a memory with ${blocks} blocks, from ${from}`)
  await using memory = await openMemory(working, { embedder: cheapEmbedder(), config: {} })
  await memory.setup({ seed: true })
  for (let next = from; next < blocks; ) {
    const until = Math.min(next + CHUNK, blocks)
    await rememberAll(
      memory,
      Array.from({ length: until - next }, (_, i) => placed(next + i)),
    )
    await dreamAll(memory)
    next = until
  }
  await memory.close()
  renameSync(working, join(home, `${blocks}.db`))
}

function makersHash(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const hash = createHash('sha256')
  for (const file of MAKERS.flatMap((maker) => filesIn(join(root, maker))).sort()) {
    if (file.endsWith('.test.ts')) continue
    hash.update(relative(root, file)).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 12)
}

function filesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path]
  return (readdirSync(path, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(path, name))
}
