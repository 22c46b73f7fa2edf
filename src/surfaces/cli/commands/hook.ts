import { projectIdentity } from '../../../adapters/project/identity.ts'
import { askServer, NOTHING } from '../../hooks/ask.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'

/** Milliseconds for the way to the server and back; a command of its own, `elfmem-hook`, starts sooner. */
const WITHIN_MS = 250

/** Answers one hook by the server of the project, or says which scope the project has; it never fails its client. */
export async function runHook({ positionals, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { cwd, home, stdout } = io
  if (values.scope === true) {
    stdout.write(`${projectIdentity({ cwd, home }).scope}\n`)
    return EXIT_OK
  }
  const payload = await io.readStdin().catch(() => '')
  const [client = ''] = positionals
  stdout.write((await askServer({ client, cwd, home, payload, within: WITHIN_MS })) ?? NOTHING)
  return EXIT_OK
}
