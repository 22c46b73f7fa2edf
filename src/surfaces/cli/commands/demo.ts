import { parseCommand } from '../flags.ts'
import type { CliIo } from '../io.ts'

/** Plays a journal through a memory of its own. */
export async function runDemo(argv: readonly string[], io: CliIo): Promise<number> {
  const { global } = parseCommand(argv, { name: 'demo', options: {}, honours: ['json', 'quiet'] })
  const { playDemo } = await import('../demo/play.ts')
  return playDemo({ json: global.json }, io)
}
