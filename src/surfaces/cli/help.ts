import { type JsonSchema, kebabCase } from '../../adapters/project/spelling.ts'
import type { Operation } from '../../operations/operation.ts'
import { inputJsonSchema } from '../wire.ts'
import { kindOf, propertiesOf } from './arguments.ts'
import { exampleCommand, asCommands as spoken } from './as-commands.ts'
import { CLIENTS_DOCTOR, COMMANDS } from './commands.ts'
import { type CommandFacts, nameOfFlag } from './flags.ts'
import { type Page, setOnPage, wrapped } from './screen/style.ts'

/** The operations that a memory lives by, in the order data takes. */
const VERBS = ['remember', 'dream', 'recall', 'outcome', 'connect', 'curate']

/** The groups of operations and commands by what they are for. */
const GROUPS: readonly (readonly [name: string, members: string])[] = [
  ['take-in', 'remember remember-many learn-document import-from propose inbox dream curate'],
  ['use', 'recall overview outcome record-use'],
  ['join', 'connect connect-by-query connects disconnect graph'],
  ['correct', 'edit forget restore resolve undo erase decisions decide'],
  ['look', 'ls facets show why status history diff guide'],
  ['keep', 'setup backup restore-backup export import reembed doctor'],
  ['serve', 'dashboard serve tokens hook move migrate'],
  ['around', 'init uninstall trust review config demo'],
]
const EVERYWHERE: Rows = [
  ['--json', 'print the result as JSON'],
  [
    '--db <path>',
    'the database, a file or postgres://…; else ELFMEM_DB, the project if you trust it, ~/.elfmem',
  ],
  ['--memory <name>', 'which memory of a database of many; else ELFMEM_MEMORY, or default'],
  ['--config <path>', 'the config file'],
  ['--url <https://…>', 'the memory of a service in the place of one here; else ELFMEM_URL'],
  [
    '--token-file <path>',
    'the file with its token, for you alone to read; else ELFMEM_TOKEN_FILE, ELFMEM_TOKEN',
  ],
  ['--as <agent|reader>', "call as an agent, who leaves to the owner what is the owner's, or only look"],
  ['--env-file <path>', 'a file of environment variables; none is read by itself'],
  ['--new', 'begin a new memory where an old one is missing beside its backups'],
  ['-q, --quiet', 'no warnings, no progress'],
  ['-', 'in the place of a text or a file: standard input'],
]

/** The overview names each flag by one name, and leaves out those that only go with another. */
const SHORT_OF_EVERYWHERE = EVERYWHERE.map(([flag]) => flag.replace(/ <.*>|^-\w, /g, '')).filter(
  (flag) => !['--memory', '--token-file'].includes(flag),
)

/** The commands of a group, and what each does. */
interface Group {
  readonly name: string
  readonly rows: readonly (readonly [usage: string, summary: string])[]
}

function groupsOf(operations: readonly Operation[]): readonly Group[] {
  const rows = new Map([
    ...COMMANDS.map(({ name, summary }) => [name, [name, summary]] as const),
    ...operations.map((each) => [kebabCase(each.name), [commandLine(each), spoken(each.summary)]] as const),
  ])
  return GROUPS.map(([name, members]) => ({
    name,
    rows: members.split(' ').flatMap((each) => {
      const found = rows.get(each)
      return found === undefined ? [] : [[found[0] ?? '', found[1] ?? ''] as const]
    }),
  }))
}

/** Renders the page of bare `elfmem`: it fits a terminal of 80 columns and 24 lines. */
export function overview(operations: readonly Operation[], version: string, page: Page): string {
  const { style } = page
  const verbs = VERBS.flatMap((name) => operations.find((each) => each.name === name) ?? [])
  const column = Math.max(...VERBS.map(({ length }) => length))
  const groups = groupsOf(operations)
  const widest = Math.max(...groups.map(({ name }) => name.length))
  const commandsOf = ({ rows }: Group) =>
    rows.map(([usage]) => usage.split(' ')[0] as string).filter((name) => !VERBS.includes(name))
  return [
    setOnPage(`${style.bold('elfmem')} ${version}  ${style.dim('the memory an agent keeps')}`, page),
    '',
    ...verbs.map(({ name, summary }) => row(name, spoken(summary), { page, column })),
    '',
    setOnPage(`${style.bold('All commands')}  ${style.dim('elfmem help all')}`, page),
    ...groups.map((group) => row(group.name, commandsOf(group).join(', '), { page, column: widest })),
    '',
    `${style.bold('Everywhere')}  ${wrapped(SHORT_OF_EVERYWHERE.join(', '), page, 12)}`,
    style.dim(wrapped('elfmem <command> --help says more; elfmem demo shows it in twenty seconds.', page, 0)),
  ].join('\n')
}

/** Renders the page of all operations and commands. */
export function allHelp(operations: readonly Operation[], page: Page): string {
  const groups = groupsOf(operations)
  const column = Math.max(...groups.flatMap(({ rows }) => rows.map(([usage]) => usage.length)))
  const sections = groups.flatMap(({ name, rows }) => section(name, rows, page, column))
  return [...sections, ...section('Everywhere', EVERYWHERE, page)].slice(1).join('\n')
}

/** Lines of a short page: those of a common terminal, without the one for the next prompt. */
const SHORT_LINES = 23

/** The options that many operations have and most people look for; a page begins with them. */
const MOST_USED = ['limit', 'scope', 'tags', 'tag', 'status']

/** The parts of a help page. */
interface Help {
  readonly name: string
  readonly usage: string
  readonly summary: string
  /** Labelled sentences on when to call the operation. */
  readonly about: readonly (readonly [label: string, text: string])[]
  readonly arguments: Rows
  readonly options: Rows
  /** Options that only a whole page shows. */
  readonly more: Rows
  readonly everywhere: Rows
  readonly example?: string | undefined
}

type Rows = readonly (readonly [left: string, right: string])[]

/** Renders the help page of an operation: with `isWhole` all that it takes and when to call it, else what fits a terminal. */
export async function operationHelp(operation: Operation, page: Page, isWhole = false): Promise<string> {
  const { when, whenNot, next } = operation.guide
  const all = Object.entries(propertiesOf(operation)).filter(([, { aliasOf }]) => aliasOf === undefined)
  const positionals = (operation.positionals ?? []) as readonly string[]
  const flags = all
    .filter(([key]) => !positionals.includes(key))
    .sort(([one], [other]) => Number(MOST_USED.includes(other)) - Number(MOST_USED.includes(one)))
  const words = all.filter(([key]) => positionals.includes(key))
  const help: Help = {
    name: kebabCase(operation.name),
    usage: `${commandLine(operation)}${flags.length > 0 ? ' [options]' : ''}`,
    summary: spoken(operation.summary),
    about: [
      ['When', spoken(when)],
      ['Instead', spoken(whenNot)],
      ['Next', spoken(next)],
    ],
    arguments: words.map(([key, schema]) => [`<${kebabCase(key)}>`, meaning(schema)]),
    options: flags.map(([key, schema]) => [flagUsage(key, schema), meaning(schema)]),
    // `doctor` also takes flags about clients.
    more: operation.name === CLIENTS_DOCTOR.name ? CLIENTS_DOCTOR.options : [],
    everywhere: EVERYWHERE,
    example: exampleCommand(operation),
  }
  return pageOf(help, page, isWhole)
}

/** Renders the help page of a command that is no operation: with `isWhole` all of it, else what fits a terminal. */
export function commandHelp(command: CommandFacts, page: Page, isWhole = false): string {
  const { name, usage, summary, details, options, honours } = command
  const own = options.map(([flag]) => nameOfFlag(flag))
  const wanted = honours.filter((flag) => !own.includes(flag))
  const help: Help = {
    ...{ name, summary, options, arguments: [], more: [] },
    usage: [name, usage].filter(Boolean).join(' '),
    about: details === undefined ? [] : [['', details]],
    everywhere: EVERYWHERE.filter(([flag]) => wanted.some((each) => flag.split(' ').includes(`--${each}`))),
  }
  return pageOf(help, page, isWhole)
}

function pageOf(help: Help, page: Page, isWhole: boolean): string {
  const { name, usage, summary, example } = help
  const { style } = page
  const head = [setOnPage(style.bold(`elfmem ${usage}`), page), '', setOnPage(summary, page)]
  const end = example === undefined ? [] : ['', style.bold('Example'), `  ${example}`]
  const hint = ['', style.dim(`All of it: elfmem ${name} --help --all`)]
  if (!isWhole) return [...head, ...mostUsed(help, page, [...head, ...end]), ...end, ...hint].join('\n')
  const about = help.about.map(([label, text]) =>
    label === '' ? setOnPage(text, page) : `${style.dim(label.padEnd(9))} ${wrapped(text, page, 10)}`,
  )
  return [
    ...head,
    ...(about.length > 0 ? ['', ...about] : []),
    ...section('Arguments', help.arguments, page),
    ...section('Options', [...help.options, ...help.more], page),
    ...section('Everywhere', help.everywhere, page),
    ...end,
  ].join('\n')
}

/** Returns a line for each of the options that fit one screen beside the rest of the page. */
function mostUsed({ options }: Help, page: Page, rest: readonly string[]): string[] {
  if (options.length === 0) return []
  const room = SHORT_LINES - rest.join('\n').split('\n').length - 4
  const shown = options.slice(0, room)
  const flags = shown.map(([flag]) => (flag.length > LEFT_MOST ? flag.replace(/\|.*/, '|…>') : flag))
  const column = Math.max(...flags.map(({ length }) => length))
  const most = Math.min(page.width, 100) - column - 4
  const lines = shown.map(([, said], at) => {
    const cut = said.length <= most ? said : `${said.slice(0, said.lastIndexOf(' ', most - 2))} …`
    return `  ${page.style.name((flags[at] ?? '').padEnd(column))}  ${cut}`
  })
  return ['', page.style.bold('Options'), ...lines]
}

function section(
  title: string,
  rows: Rows,
  page: Page,
  column = Math.max(...rows.map(([left]) => left.length)),
): string[] {
  if (rows.length === 0) return []
  return ['', page.style.bold(title), ...rows.map(([left, right]) => row(left, right, { page, column }))]
}

interface Column {
  readonly page: Page
  /** Characters of the left column. */
  readonly column: number
}

/** The most columns of the left column on a page of limited width. */
const LEFT_MOST = 30
/** Returns a row; a text that is too long for the left column has a line of its own. */
function row(left: string, right: string, { page, column }: Column): string {
  const width = Number.isFinite(page.width) ? Math.min(column, LEFT_MOST) : column
  const gap = left.length > width ? `\n${' '.repeat(width + 4)}` : '  '
  return `  ${page.style.name(left.padEnd(width))}${gap}${wrapped(right, page, width + 4)}`
}

/** `recall [query]`: brackets mark what may be left out. */
function commandLine(operation: Operation): string {
  const required = inputJsonSchema(operation).required ?? []
  const words = (operation.positionals ?? []).map((key) =>
    required.includes(key) ? `<${kebabCase(key)}>` : `[${kebabCase(key)}]`,
  )
  return [kebabCase(operation.name), ...words].join(' ')
}

const WORDS = { text: 'text', number: 'number', list: 'a,b', data: 'file.json' } as const

function flagUsage(key: string, schema: JsonSchema): string {
  const kind = kindOf(schema)
  const flag = `--${kebabCase(key)}`
  if (kind === 'boolean') return schema.default === true ? `--no-${kebabCase(key)}` : flag
  if (schema.phrases === true) return `${flag} <text> …`
  return `${flag} <${schema.enum?.join('|') ?? WORDS[kind]}>`
}

function meaning(schema: JsonSchema): string {
  const facts = [rangeOf(schema), defaultOf(schema)].filter(Boolean).join('; ')
  const said = schema.default === true ? (schema.switchedOff ?? '') : (schema.description ?? '')
  return [spoken(said), facts && `(${facts})`].filter(Boolean).join(' ')
}

function rangeOf({ minimum, maximum, maxLength }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum}–${maximum}`
  if (minimum !== undefined) return `at least ${minimum}`
  if (maximum !== undefined) return `at most ${maximum}`
  return maxLength === undefined ? '' : `at most ${maxLength} characters`
}

function defaultOf(schema: JsonSchema): string {
  if (schema.default === undefined || typeof schema.default === 'boolean' || schema.default === '') return ''
  return `default ${typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default)}`
}
