import { resolveProject } from '../../adapters/project/resolve.ts'
import { type OpenMemory, openLifetime } from '../../opening/open-memory.ts'
import type { Operation } from '../../operations/operation.ts'
import { wireOf } from '../wire.ts'
import { inputOf, optionsOf } from './arguments.ts'
import { parseFlags } from './flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED, type GlobalOptions } from './io.ts'
import { jsonText, printWarnings, progressLine } from './output.ts'

/** Runs one operation of the table from its arguments. */
export async function runOperation(
  operation: Operation,
  argv: readonly string[],
  io: CliIo,
): Promise<number> {
  const flags = parseFlags(argv, optionsOf(operation))
  if (flags.help) {
    const [{ operationHelp }, { pageFor }] = await Promise.all([import('./help.ts'), import('./style.ts')])
    io.stdout.write(`${await operationHelp(operation, pageFor(io.stdout, io))}\n`)
    return EXIT_OK
  }
  const input = await inputOf(operation, flags, io)
  const memory = await openCliMemory(flags.global, io)
  if (willEmbed(operation, input)) memory.warm()
  try {
    const call = (given: unknown) => callWithProgress(memory, operation, given, { global: flags.global, io })
    const output = await confirmed(operation, { input, first: await call(input), call }, flags.global, io)
    const text = flags.global.json
      ? jsonText(wireOf(operation).toOutput(output, flags.values))
      : operation.render(output)
    // What was asked for may itself have gone to standard output.
    const told = isOnStdout(operation, input) ? io.stderr : io.stdout
    told.write(`${text}\n`)
    if (!flags.global.json && asksForDream(output)) told.write('Run `elfmem dream`.\n')
    return operation.failed?.(output) ? EXIT_REFUSED : EXIT_OK
  } finally {
    await memory.close()
  }
}

interface Asked {
  readonly input: unknown
  readonly first: unknown
  readonly call: (input: unknown) => Promise<unknown>
}

/** The answer; of what cannot be taken back, on a terminal, the answer after somebody said yes to what the first one told. */
async function confirmed(
  { asks, render }: Operation,
  { input, first, call }: Asked,
  { json }: GlobalOptions,
  { ask, stdout }: CliIo,
): Promise<unknown> {
  const given = input as Readonly<Record<string, unknown>>
  if (asks === undefined || ask === undefined || json || given[asks.key] === true) return first
  const told = first as { readonly [asked: string]: unknown }
  if (told.finished === true) return first
  stdout.write(`${render(first)}\n`)
  const said = (await ask(asks.question(first))).trim().toLowerCase()
  return said === 'yes' ? call(asks.confirmed(input as never, first as never)) : first
}

/** True if so many blocks wait that somebody has to dream. */
function asksForDream(output: unknown): boolean {
  return (output as { readonly shouldDream?: boolean }).shouldDream === true
}

/** True if the operation itself writes to standard output. */
function isOnStdout({ local = {} }: Operation, input: unknown): boolean {
  const given = Object.entries(input as Record<string, unknown>)
  return given.some(([key, value]) => local[key] === 'output' && value === '-')
}

/** True if the text to embed is given; then the model is loaded beside the store instead of after it. */
function willEmbed({ cost, positionals = [] }: Operation, input: unknown): boolean {
  const text = positionals.at(-1)
  return cost === 'embedding' && text !== undefined && Object.hasOwn(input as object, text)
}

/** The memory the flags, the environment and the working directory mean; one-shot commands share a session. */
async function openCliMemory({ db, config, quiet, as }: GlobalOptions, io: CliIo): Promise<OpenMemory> {
  const flags = { ...(db === undefined ? {} : { db }), ...(config === undefined ? {} : { config }) }
  const project = await resolveProject({ cwd: io.cwd, env: io.env, home: io.home, flags })
  if (!quiet) printWarnings(project.warnings, io)
  return openLifetime(
    { ...project, surface: 'cli' },
    { sessionMode: 'resume', ...(as === undefined ? {} : { as }) },
  )
}

async function callWithProgress(
  memory: OpenMemory,
  operation: Operation,
  input: unknown,
  { global: { quiet }, io }: { readonly global: GlobalOptions; readonly io: CliIo },
): Promise<unknown> {
  const line = progressLine(io.stderr, io, quiet)
  const signal = io.signal ? { signal: io.signal } : {}
  try {
    const pipe = { read: io.readStdin, write: (text: string) => io.stdout.write(text) }
    return await memory.call(operation, input, { progress: line.report, pipe, ...signal })
  } finally {
    line.clear()
  }
}
