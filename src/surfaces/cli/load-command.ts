import type { CliIo } from './io.ts'

/** Runs a command and resolves to its exit code. */
export type RunCommand = (argv: readonly string[], io: CliIo) => Promise<number>

/** Loads the code of a command, so that no command pays for another; undefined when there is none of that name. */
export async function loadCommand(name: string): Promise<RunCommand | undefined> {
  switch (name) {
    case 'init':
      return (await import('./commands/init.ts')).runInit
    case 'trust':
      return (await import('./commands/trust.ts')).runTrust
    case 'serve':
      return (await import('./commands/serve.ts')).runServe
    case 'config':
      return (await import('./commands/config.ts')).runConfig
    case 'rescue':
      return (await import('./commands/rescue.ts')).runRescue
    case 'demo':
      return (await import('./commands/demo.ts')).runDemo
    case 'completion':
      return (await import('./commands/completion.ts')).runCompletion
    default:
      return undefined
  }
}
