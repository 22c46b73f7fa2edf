import { type JsonSchema, kebabCase } from '../../adapters/project/spelling.ts'
import type { Operation } from '../../operations/operation.ts'
import { exampleCommand } from '../example.ts'
import { inputJsonSchema } from '../wire.ts'
import { kindOf, propertiesOf } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import type { CommandFacts } from './flags.ts'
import { type Page, wrapped } from './style.ts'

/** The data's way as the overview groups it. An operation named nowhere still shows, at the end. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Take in', ['remember', 'rememberMany', 'learnDocument', 'inbox']],
  ['Consolidate', ['dream', 'curate']],
  ['Use', ['recall', 'outcome', 'recordUse']],
  ['Correct', ['edit', 'forget', 'restore', 'resolve']],
  ['Look', ['ls', 'show', 'status', 'history', 'guide']],
  ['Set up', ['setup']],
  ['Keep', ['backup', 'restoreBackup', 'export', 'import', 'doctor']],
]

const EVERYWHERE: readonly (readonly [flag: string, meaning: string])[] = [
  ['--json', 'print the result as JSON'],
  ['--db <path>', 'the database; else ELFMEM_DB, the project if you trust it, ~/.elfmem'],
  ['--config <path>', 'the config file'],
  ['--as <agent|reader>', "call as an agent, who leaves to the owner what is the owner's, or only look"],
  ['--env-file <path>', 'a file of environment variables; none is read by itself'],
  ['--new', 'begin a new memory where an old one is missing beside its backups'],
  ['-q, --quiet', 'no warnings, no progress'],
  ['-', 'in the place of a text or a file: standard input'],
]

const CLOSING = 'elfmem <command> --help says more about one; elfmem demo shows all of it in twenty seconds.'

/** Renders the page of bare `elfmem`: one screen, in the order data takes. */
export function overview(operations: readonly Operation[], version: string, page: Page): string {
  const { style } = page
  const rowsOf = (names: readonly string[]) =>
    names
      .flatMap((name) => operations.find((each) => each.name === name) ?? [])
      .map((operation) => [commandLine(operation), operation.summary] as const)
  const named = GROUPS.flatMap(([, names]) => names)
  const others = operations.map(({ name }) => name).filter((name) => !named.includes(name))
  const sections = [
    ...[...GROUPS, ['More', others] as const].map(([title, names]) => [title, rowsOf(names)] as const),
    ['Around it', COMMANDS.map(({ name, summary }) => [name, summary] as const)] as const,
  ]
  const width = Math.max(...sections.flatMap(([, entries]) => entries.map(([left]) => left.length)))
  return [
    `${style.bold('elfmem')} ${version}  ${style.dim('the memory an agent keeps')}`,
    '',
    style.dim('  remember ─► inbox ─► dream ─► active ─► recall ─► outcome ─► curate'),
    ...sections
      .filter(([, entries]) => entries.length > 0)
      .flatMap(([title, entries]) => [
        '',
        style.bold(title),
        ...entries.map(([left, right]) => row(left, right, { page, column: width })),
      ]),
    '',
    style.dim(wrapped(CLOSING, page, 0)),
  ].join('\n')
}

/** The help page of an operation. */
export async function operationHelp(operation: Operation, page: Page): Promise<string> {
  const { style } = page
  const properties = Object.entries(propertiesOf(operation))
  const positionals = (operation.positionals ?? []) as readonly string[]
  const rows = (wanted: boolean) =>
    properties
      .filter(([key]) => positionals.includes(key) === wanted)
      .map(
        ([key, schema]) =>
          [wanted ? `<${kebabCase(key)}>` : flagUsage(key, schema), meaning(schema)] as const,
      )
  const example = await exampleCommand(operation)
  const { when, whenNot, next } = operation.guide
  const labelled = [
    ['When', when],
    ['Not when', whenNot],
    ['Next', next],
  ] as const
  return [
    `${style.bold(`elfmem ${commandLine(operation)}`)}${properties.length > positionals.length ? ' [options]' : ''}`,
    '',
    operation.summary,
    '',
    ...labelled.map(([label, text]) => `${style.dim(label.padEnd(9))} ${wrapped(text, page, 10)}`),
    ...section('Arguments', rows(true), page),
    ...section('Options', rows(false), page),
    ...section('Everywhere', EVERYWHERE, page),
    ...(example === undefined ? [] : ['', style.bold('Example'), `  ${example}`]),
  ].join('\n')
}

/** The help page of a command that is no operation. */
export function commandHelp(command: CommandFacts, page: Page): string {
  const { name, usage, summary, details, options } = command
  const { style } = page
  return [
    style.bold(['elfmem', name, usage].filter(Boolean).join(' ')),
    '',
    summary,
    ...(details ? ['', details] : []),
    ...section('Options', options, page),
    ...section('Everywhere', EVERYWHERE, page),
  ].join('\n')
}

function section(
  title: string,
  rows: readonly (readonly [left: string, right: string])[],
  page: Page,
): string[] {
  if (rows.length === 0) return []
  const column = Math.max(...rows.map(([left]) => left.length))
  return ['', page.style.bold(title), ...rows.map(([left, right]) => row(left, right, { page, column }))]
}

interface Column {
  readonly page: Page
  /** Characters of the left column. */
  readonly column: number
}

function row(left: string, right: string, { page, column }: Column): string {
  return `  ${page.style.name(left.padEnd(column))}  ${wrapped(right, page, column + 4)}`
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
  return `${flag} <${schema.enum?.join('|') ?? WORDS[kind]}>`
}

function meaning(schema: JsonSchema): string {
  const facts = [rangeOf(schema), defaultOf(schema)].filter(Boolean).join('; ')
  return [schema.description ?? '', facts && `(${facts})`].filter(Boolean).join(' ')
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
