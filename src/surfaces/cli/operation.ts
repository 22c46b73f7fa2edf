import { rmSync, statSync } from 'node:fs'
import { kebabCase } from '../../adapters/project/spelling.ts'
import { openLifetime } from '../../engine/open-memory.ts'
import { attempt } from '../../errors.ts'
import { operationNames } from '../../operations/load.ts'
import type { Operation } from '../../operations/operation.ts'
import { withCalls } from '../../operations/tool-sets.ts'
import { shellWord, waitingWords } from '../../operations/wording.ts'
import { answerText, cursorOf } from '../prose.ts'
import { wireOf } from '../wire.ts'
import { inputOf, optionsOf } from './arguments.ts'
import { asksHelp, parseFlags } from './flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED, type GlobalOptions } from './io.ts'
import { resolveCliProject } from './project.ts'
import { jsonText } from './screen/output.ts'
import { progressLine } from './screen/progress.ts'
import { pageFor, setOnPage } from './screen/style.ts'
import { type CliMemory, openService, serviceOf } from './service.ts'

/** Runs one operation of the table from its arguments. */
export async function runOperation(
  operation: Operation,
  argv: readonly string[],
  io: CliIo,
): Promise<number> {
  if (asksHelp(argv)) {
    const { operationHelp } = await import('./help.ts')
    const page = await operationHelp(operation, pageFor(io.stdout, io), argv.includes('--all'))
    io.stdout.write(`${page}\n`)
    return EXIT_OK
  }
  const flags = parseFlags(argv, optionsOf(operation))
  const asked = await inputOf(operation, flags, io)
  const input = flags.global.json ? asked : { ...operation.onTerminal, ...Object(asked) }
  const { memory, takeBack } = await openCliMemory(operation, flags.global, io)
  if (willEmbed(operation, input)) memory.warm()
  let isDone = false
  try {
    const call = (given: unknown) => callWithProgress(memory, operation, given, { global: flags.global, io })
    const output = await confirmed(operation, { input, first: await call(input), call }, flags.global, io)
    isDone = true
    const text = flags.global.json
      ? jsonText(wireOf(operation).toOutput(output))
      : await answerText(operation, output, commandProse)
    // What was asked for may itself have gone to standard output.
    const told = isOnStdout(operation, input) ? io.stderr : io.stdout
    told.write(`${flags.global.json ? text : setOnPage(text, pageFor(told, io))}\n`)
    if (!flags.global.json)
      for (const line of nextSteps(operation, output, { told, text, global: flags.global }))
        told.write(`${line}\n`)
    return operation.failed?.(output) ? EXIT_REFUSED : EXIT_OK
  } finally {
    await memory.close()
    if (!isDone) takeBack()
  }
}

const known = new Set(operationNames)

/** Returns our own prose with calls as commands. Few sentences have arguments and need the whole table to be loaded. */
export async function commandProse(text: string): Promise<string> {
  if (/\(\{|[a-z][A-Z]/.test(text)) return (await import('./as-commands.ts')).asCommands(text)
  return withCalls(text, (name) => (known.has(name) ? `elfmem ${kebabCase(name)}` : undefined))
}

interface Asked {
  readonly input: unknown
  readonly first: unknown
  readonly call: (input: unknown) => Promise<unknown>
}

/** The answer; of what cannot be taken back, on a terminal, the answer after somebody said yes to the first one. */
async function confirmed(
  { asks, render }: Operation,
  { input, first, call }: Asked,
  { json }: GlobalOptions,
  io: CliIo,
): Promise<unknown> {
  const { ask, stdout } = io
  const given = input as Readonly<Record<string, unknown>>
  if (asks === undefined || ask === undefined || json || given[asks.key] === true) return first
  const told = first as { readonly [asked: string]: unknown }
  if (told.finished === true) return first
  stdout.write(`${setOnPage(render(first), pageFor(stdout, io))}\n`)
  const said = (await ask(asks.question(first))).trim().toLowerCase()
  return said === 'yes' ? call(asks.confirmed(input as never, first as never)) : first
}

/** Yields lines for people on the next steps: the rest of a page, a dream, the way back, what waits for them. */
function* nextSteps(
  operation: Operation,
  output: unknown,
  {
    told,
    text,
    global,
  }: { readonly told: CliIo['stdout']; readonly text: string; readonly global: GlobalOptions },
): Generator<string> {
  const cursor = cursorOf(operation, output)
  if (cursor !== undefined) yield `For more add --cursor ${shellWord(cursor)}.`
  if ((output as { readonly shouldDream?: boolean }).shouldDream === true) yield 'Run `elfmem dream`.'
  const undo = undoOf(output, global)
  if (undo && told.isTTY && !text.includes(undo)) yield `${undo} takes it back.`
  const waiting = (output as { readonly decisionsWaiting?: number }).decisionsWaiting ?? 0
  if (waiting > 0 && told.isTTY) yield `${waitingWords(waiting, 'you')}: elfmem review`
}

/** Returns the command that undoes exactly this call, in this memory; for people alone. */
function undoOf(output: unknown, { quiet, db, memory: name, config, url, tokenFile }: GlobalOptions) {
  const { operationId } = Object(output) as { readonly operationId?: number }
  if (operationId === undefined || quiet) return undefined
  // An address is shown without its password.
  const shown = db?.replace(/^(\w+:\/\/[^/@]*):[^/]*@/, '$1@')
  const memory = { db: shown, memory: name, config, url, 'token-file': tokenFile }
  const flags = Object.entries(memory).flatMap(([name, given]) =>
    given === undefined ? [] : [`--${name}`, shellWord(given)],
  )
  return ['elfmem', 'undo', operationId, ...flags].join(' ')
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

/**
 * The memory the flags, the environment and the working directory mean, and what removes a file that was begun for nothing.
 * One-shot commands share a session. A memory that is not there is made only by a command that begins one.
 */
export async function openCliMemory(
  operation: Operation,
  global: GlobalOptions,
  io: CliIo,
): Promise<{ readonly memory: CliMemory; readonly takeBack: () => void }> {
  const service = serviceOf(global, io)
  if (service !== undefined)
    return { memory: await openService(service, global, io), takeBack: () => undefined }
  const { notice, ...project } = await resolveCliProject(global, io)
  // A terminal shows the notice above the answer already.
  const isOneScreen = io.stdout.isTTY === true && !global.json && !global.quiet
  const { as, anew } = global
  const { path } = project.database
  // A backup is how a lost memory comes back; one that is not restored leaves it lost.
  const bytes = attempt(() => statSync(path).size) ?? 0
  const bringsBack = operation.name === 'restoreBackup' && !anew && bytes === 0
  const memory = await openLifetime(
    { ...project, surface: 'cli', ...(!isOneScreen && notice !== undefined && { notice }) },
    { sessionMode: 'resume', anew: anew || bringsBack, as },
    bringsBack ? 'make' : 'wait',
  )
  return { memory, takeBack: () => void (bringsBack && rmSync(path, { force: true })) }
}

async function callWithProgress(
  memory: CliMemory,
  operation: Operation,
  input: unknown,
  { global: { quiet, json }, io }: { readonly global: GlobalOptions; readonly io: CliIo },
): Promise<unknown> {
  const line = progressLine(io.stderr, io, { isSilent: quiet || json })
  // What is short ends at once by the signal itself, which no statement under way can keep waiting.
  const signal = operation.cost === 'batch' && io.signal ? { signal: io.signal } : {}
  try {
    const pipe = { read: io.readStdin, write: (text: string) => io.stdout.write(text) }
    return await memory.call(operation, input, { progress: line.report, pipe, ...signal })
  } finally {
    line.clear()
  }
}
