import { parseFlags } from '../flags.ts'
import type { CliIo } from '../io.ts'

/** Plays a journal through a memory of its own. */
export async function runDemo(argv: readonly string[], io: CliIo): Promise<number> {
  const { global } = parseFlags(argv, {})
  const { playDemo } = await import('../demo/play.ts')
  return playDemo({ json: global.json }, io)
}
