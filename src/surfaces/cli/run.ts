import { camelCase, kebabCase } from '../../adapters/project/spelling.ts'
import { ElfmemError } from '../../errors.ts'
import { loadOperation } from '../../operations/load.ts'
import { nearest } from '../../operations/wording.ts'
import { CLIENTS_DOCTOR, COMMANDS } from './commands.ts'
import { asksHelp, parseCommand, type RunCommand } from './flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED, EXIT_USAGE } from './io.ts'
import { printFailure } from './screen/output.ts'

/** Load the code of a command, so that no command pays for another. */
const LOADERS: Readonly<Record<string, () => Promise<RunCommand>>> = {
  init: async () => (await import('./commands/init.ts')).runInit,
  uninstall: async () => (await import('./clients/set-up.ts')).runUninstall,
  trust: async () => (await import('./commands/trust.ts')).runTrust,
  serve: async () => (await import('./commands/serve.ts')).runServe,
  dashboard: async () => (await import('./commands/dashboard.ts')).runDashboard,
  review: async () => (await import('./commands/review.ts')).runReview,
  tokens: async () => (await import('./commands/tokens.ts')).runTokens,
  hook: async () => (await import('./commands/hook.ts')).runHook,
  config: async () => (await import('./commands/config.ts')).runConfig,
  move: async () => (await import('./commands/move.ts')).runMove,
  migrate: async () => (await import('./commands/move.ts')).runMigrate,
  demo: async () => (await import('./demo/play.ts')).playDemo,
  doctor: async () => (await import('./clients/doctor.ts')).doctorClients,
}

/** Runs one command line and resolves to its exit code; never touches `process`, never throws. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const [first, ...rest] = argv
  try {
    if (first === undefined) return await showOverview(io, EXIT_USAGE)
    if (first === '--help' || first === '-h') return await showOverview(io, EXIT_OK)
    if (first === 'help') return await help(rest, io)
    if (first === '--version' || first === '-V' || first === '-v') {
      io.stdout.write(`elfmem ${io.version}\n`)
      return EXIT_OK
    }
    return await dispatch(first, rest, io)
  } catch (cause) {
    const code = await printFailure(cause, io, { json: argv.includes('--json') })
    // A coding agent takes a hook that ends with 2 for one that forbids what the agent is about to do.
    return first === 'hook' ? EXIT_REFUSED : code
  }
}

async function dispatch(name: string, argv: readonly string[], io: CliIo): Promise<number> {
  if (name.startsWith('-'))
    throw new ElfmemError('INVALID_INPUT', `There is no command beside ${name}.`, {
      recovery: 'Name the command first: elfmem recall "tea" --limit 3. Run `elfmem --help` for the list.',
    })
  const ofClients = name === CLIENTS_DOCTOR.name && argv.includes('--clients')
  const command = ofClients ? CLIENTS_DOCTOR : COMMANDS.find((each) => each.name === name)
  const load = LOADERS[command?.name ?? '']
  if (command && load) {
    if (asksHelp(argv)) {
      const [{ commandHelp }, { pageFor }] = await Promise.all([
        import('./help.ts'),
        import('./screen/style.ts'),
      ])
      io.stdout.write(`${commandHelp(command, pageFor(io.stdout, io), argv.includes('--all'))}\n`)
      return EXIT_OK
    }
    const run = await load()
    return run(parseCommand(argv, command), io)
  }
  const operation = await loadOperation(camelCase(name.replaceAll('-', '_')))
  if (!operation) throw await unknownCommand(name)
  const { runOperation } = await import('./operation.ts')
  return runOperation(operation, argv, io)
}

/** Shows the page of a command, with `all` all commands, without a name the overview. */
async function help([name, ...rest]: readonly string[], io: CliIo): Promise<number> {
  if (name === undefined) return showOverview(io, EXIT_OK)
  if (name !== 'all') return runCli([name, ...rest, '--help'], io)
  const { operations, page, allHelp } = await loadHelp(io)
  io.stdout.write(`${allHelp(operations, page)}\n`)
  return EXIT_OK
}

/** Loads what pages of help are made of. */
async function loadHelp(io: CliIo) {
  const [{ operations }, { allHelp, overview }, { pageFor }] = await Promise.all([
    import('../../operations/table.ts'),
    import('./help.ts'),
    import('./screen/style.ts'),
  ])
  return { allHelp, overview, operations, page: pageFor(io.stdout, io) }
}

async function unknownCommand(name: string): Promise<ElfmemError> {
  const { operations } = await import('../../operations/table.ts')
  const names = [...operations.map((each) => kebabCase(each.name)), ...COMMANDS.map((each) => each.name)]
  const similar = nearest(name.replaceAll('_', '-'), names)
  return new ElfmemError('INVALID_INPUT', `elfmem knows no command "${name}".`, {
    recovery:
      similar === undefined ? 'Run `elfmem --help` for the list.' : `Did you mean \`elfmem ${similar}\`?`,
  })
}

async function showOverview(io: CliIo, code: number): Promise<number> {
  const { operations, page, overview } = await loadHelp(io)
  io.stdout.write(`${overview(operations, io.version, page)}\n`)
  return code
}
