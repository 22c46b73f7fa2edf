import { snakeCase } from '../adapters/project/spelling.ts'
import { rendered } from '../opening/open-memory.ts'
import type { Operation } from '../operations/operation.ts'
import type { Spelling } from './failure.ts'

/** The words of a surface for our own prose, which is written in the names of the library. */
export interface Language extends Spelling {
  /** Calls and names of the library in a text, as the surface has them. */
  readonly prose: (text: string) => string
  /** Returns the name of an operation for a caller of the surface. */
  readonly operation: (name: string) => string
}

/** Fields of answers that hold our own sentences; what they quote stands in quotation marks. */
const SENTENCES = ['summary', 'hint', 'warning', 'suggestion']

/** Names of the library, which a surface has others for; a part of a path is none. */
const NAMES = /(?<![\w./\\-])[a-z]+[A-Z]|\(\{|\{ anew/

/** Returns the text of an answer in the language of a surface, loaded if it is needed; remembered words stay as they are. */
export async function spoken(
  operation: Operation,
  output: unknown,
  loadLanguage: () => Promise<Language>,
): Promise<string> {
  const text = rendered(operation, output)
  if (operation.isOwnProse === true) return spokenPage(text, await loadLanguage())
  const fields = Object(output) as Readonly<Record<string, unknown>>
  const sentences = SENTENCES.map((field) => fields[field]).filter(
    (said): said is string => typeof said === 'string' && NAMES.test(said),
  )
  if (sentences.length === 0) return text
  const { prose } = await loadLanguage()
  return sentences.reduce((whole, said) => whole.split(said).join(outsideQuotes(said, prose)), text)
}

/** Rewrites a text but for what it quotes. */
export function outsideQuotes(text: string, rewrite: (part: string) => string): string {
  return text.replace(/"[^"]*"|[^"]+/g, (part) => (part.startsWith('"') ? part : rewrite(part)))
}

/** A row of the list of operations: name, cost, summary. */
const ROW = /^([a-z]\w*)( +)(?=(?:instant|embedding|batch) )/gm
/** A name may be so much longer in the language of a surface. */
const LONGER = 10
/** The arguments or the fields of an operation; a question mark behind those that may be left out. */
const KEYS = /^( {2}(takes|returns): {1,9})(\w[\w?, ]*)$/
const OF_LIBRARY = /await memory\./g

async function spokenPage(page: string, language: Language): Promise<string> {
  // Only the guide is such a page.
  const { operations } = await import('../operations/table.ts')
  let text = page
  for (const each of operations) {
    if (!text.includes(each.guide.example)) continue
    const example = await language.example(each)
    if (example !== undefined) text = text.split(each.guide.example).join(example)
  }
  return text
    .replace(OF_LIBRARY, '')
    .replace(/^memory\.(\w+)\(\)/gm, (_, name: string) => language.operation(name))
    .replace(ROW, (_, name: string, gap: string) => {
      return language.operation(name).padEnd(name.length + gap.length + LONGER)
    })
    .split('\n')
    .map((line) => (KEYS.test(line) ? keysLine(line, language) : language.prose(line)))
    .join('\n')
}

function keysLine(line: string, { name }: Language): string {
  return line.replace(KEYS, (_, label: string, kind: string, keys: string) => {
    const spell = kind === 'takes' ? name : snakeCase
    return `${label}${keys.replace(/\w+/g, spell)}`
  })
}
