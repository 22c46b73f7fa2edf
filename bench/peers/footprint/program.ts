import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What is started, and where. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

const run = promisify(execFile)
const TIMEOUT_MS = 60_000

/** Runs a program to its end, and throws if it fails. */
export async function toEnd({ command, args, env, cwd }: Program): Promise<void> {
  await run(command, args, { env, cwd, timeout: TIMEOUT_MS })
}
