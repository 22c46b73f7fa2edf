import { projectIdentity } from '../../../adapters/project/identity.ts'
import { answerStream, hookWithin } from '../../hooks/ask.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'

/**
 * Answers one hook by the server of the project, or says which scope the project has. It never fails its client, and `elfmem-hook`,
 * which does the same, starts sooner.
 */
export async function runHook({ positionals, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { cwd, env, home, stdout } = io
  if (values.scope === true) {
    stdout.write(`${projectIdentity({ cwd, home }).scope}\n`)
    return EXIT_OK
  }
  const { stdin } = io.streams()
  const [client = ''] = positionals
  stdout.write(await answerStream(stdin, { client, cwd, home, within: hookWithin(env) }))
  // Whoever does not end it does not keep the process.
  stdin.destroy()
  return EXIT_OK
}
