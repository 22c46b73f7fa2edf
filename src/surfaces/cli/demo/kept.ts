import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGivenSettings } from '../../../adapters/project/settings-schema.ts'
import { type OpenMemory, openLifetime } from '../../../engine/open-memory.ts'
import type { Ids } from '../../../engine/ports.ts'
import type { CliIo } from '../io.ts'
import { playInto } from './play.ts'

/** Characters of an id, as the machine makes them. */
const ID_LENGTH = 16

/** The memory of the demo after its four weeks, open to be looked at; `remove` takes its folder away once it is closed. */
export async function openDemoMemory(
  io: CliIo,
): Promise<{ readonly memory: OpenMemory; readonly remove: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'elfmem-demo-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const path = join(directory, 'memory.db')
    const { clock, config } = await playInto(path, countedIds(), io)
    const settings = parseGivenSettings(config as Record<string, unknown>)
    const project = { settings, database: { path, rule: '--db' }, env: {}, surface: 'dashboard' } as const
    // Every look would move the clock of the demo by a second; nothing it shows is to grow older meanwhile.
    const now = clock.now()
    const how = { clock: { now: () => now }, sessionMode: 'resume', as: 'reader' } as const
    return { memory: await openLifetime(project, how), remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Ids in their order, the same each time. */
function countedIds(): Ids {
  let count = 0
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  return {
    random: () => sha256(`demo ${++count}`).slice(0, ID_LENGTH),
    sha256,
  }
}
