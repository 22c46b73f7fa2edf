import { snakeCase } from '../adapters/project/spelling.ts'
import { NOTICES } from '../engine/open-memory.ts'
import { loadOperation } from '../operations/load.ts'
import type { Operation } from '../operations/operation.ts'
import { harmless } from '../operations/wording.ts'
import type { Spelling } from './failure.ts'

/** The words of a surface for our own prose, which is written in the names of the library. */
export interface Language extends Spelling {
  /** Calls and names of the library in a text, as the surface has them. */
  readonly prose: (text: string) => string
}

/** Fields of answers that hold our own sentences; what they quote stands in quotation marks. */
const SENTENCES = ['summary', 'hint', 'warning', 'suggestion']
/** The fields of a refusal in an answer that hold our own prose. */
const REFUSAL = ['message', 'recovery']

/** Matches names of the library for which a surface has others; a part of a path is none. */
const NAMES = /(?<![\w./\\-])[a-z]+[A-Z]|\(\{|\{ anew/
/** Matches an operation that is only named: `dream()`. */
const CALLED = /[a-z]\(\)/

/** The loaders of a surface's language, called if it is needed. */
interface Loaders {
  readonly whole: () => Promise<Language>
  /** Rewrites a text that names operations and nothing else; it may load less. */
  readonly named: () => Promise<Language['prose']>
}

/** Returns the text of an answer in the language of a surface; remembered words stay as they are. */
export async function spoken(operation: Operation, output: unknown, language: Loaders): Promise<string> {
  const text = textOf(operation, output)
  if (operation.isOwnProse === true) return spokenPage(text, await language.whole())
  const { errors } = Object(output) as { readonly errors?: unknown }
  const own = saidIn(output, SENTENCES)
  const refusals = Array.isArray(errors) ? errors.flatMap((each) => saidIn(each, REFUSAL)) : []
  if (own.length + refusals.length === 0) return text
  const namesMore = [...own, ...refusals].some((said) => NAMES.test(said))
  const prose = namesMore ? (await language.whole()).prose : await language.named()
  const told = [
    ...own.map((said) => [said, outsideQuotes(said, prose)] as const),
    ...refusals.map((said) => [said, outsideQuotes(said, (part) => prose(withJsonKeys(part)))] as const),
  ]
  return told.reduce((whole, [said, as]) => whole.split(said).join(as), text)
}

/** Returns the text of an answer, with what it says about the memory as a whole where the text leaves its summary out. */
function textOf(operation: Operation, output: unknown): string {
  const text = operation.render(output)
  const notices = (output as { readonly [NOTICES]?: readonly string[] })[NOTICES] ?? []
  return [text, ...notices.map(harmless).filter((notice) => !text.includes(notice))].join('\n\n')
}

/** Returns the sentences in fields of an answer that name what a surface has other names for. */
function saidIn(output: unknown, fields: readonly string[]): string[] {
  const answer = Object(output) as Readonly<Record<string, unknown>>
  return fields
    .map((field) => answer[field])
    .filter((said): said is string => typeof said === 'string' && (NAMES.test(said) || CALLED.test(said)))
}

/** Returns a refusal in a list with its keys in snake_case, since the things of the list came as JSON. */
function withJsonKeys(text: string): string {
  return text.replace(/\b[a-z]+(?:[A-Z][a-z]*)+(?=: ')/g, snakeCase)
}

/** Returns the cursor that leads on from a page of a list; undefined where the list ends. */
export function cursorOf({ page }: Operation, output: unknown): string | undefined {
  const { cursor } = Object(output) as { readonly cursor?: string | number }
  return page === undefined || cursor === undefined ? undefined : String(cursor)
}

/** Rewrites a text but for what it quotes. */
export function outsideQuotes(text: string, rewrite: (part: string) => string): string {
  return text.replace(/"[^"]*"|[^"]+/g, (part) => (part.startsWith('"') ? part : rewrite(part)))
}

/** Matches the arguments or the fields of an operation; a question mark stands behind those that may be left out. */
const KEYS = /^( {2}(takes|returns): {1,9})(\w[\w?, ]*)$/

/** Returns a page of the guide in the language of a surface; the page begins with the operation that it explains. */
async function spokenPage(page: string, language: Language): Promise<string> {
  const operation = await loadOperation(/^(\w+)\(\)$/m.exec(page)?.[1] ?? '')
  const example = operation && (await language.example(operation))
  return page
    .split('\n')
    .map((line) => {
      if (example !== undefined && line.trim() === operation?.guide.example) return `    ${example}`
      return KEYS.test(line) ? keysLine(line, language) : language.prose(line.replace('await memory.', ''))
    })
    .join('\n')
}

function keysLine(line: string, { name }: Language): string {
  return line.replace(KEYS, (_, label: string, kind: string, keys: string) => {
    const spell = kind === 'takes' ? name : snakeCase
    return `${label}${keys.replace(/\w+/g, spell)}`
  })
}
