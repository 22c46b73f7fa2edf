import { answerStream, hookWithin, NOTHING } from './ask.ts'

/**
 * The command `elfmem-hook <client>`: gives what stands on standard input to the server of the project around the working directory,
 * and writes its answer. It loads nothing of elfmem, starts nothing, and never fails: a client waits for it.
 */
async function main(): Promise<void> {
  const { argv, env, stdin, stdout } = process
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const asking = { client: argv[2] ?? '', cwd: folder(), home, within: hookWithin(env) }
  const answer = stdin.isTTY ? NOTHING : await answerStream(stdin, asking)
  stdout.on('error', () => process.exit(0))
  stdout.write(answer, () => process.exit(0))
}

/** The working directory; empty if it is gone. */
function folder(): string {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}

void main()
