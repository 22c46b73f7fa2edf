import * as z from 'zod'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import { rangeOf } from '../docs/schema.ts'
import { FIELD_MEANINGS } from './field-meanings.ts'
import type { Direction } from './type-text.ts'

/** Longest line of a comment, apart from its indent. */
const WIDTH = 100

/** A doc comment of paragraphs; nothing without any. Lines of a block of code stay as they are. */
export function commentOf(paragraphs: readonly string[]): string {
  const lines = paragraphs.flatMap((each, at) => [...(at === 0 ? [] : ['']), ...linesOf(each)])
  if (lines.length === 0) return ''
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  if (safe.length === 1) return `/** ${safe[0]} */\n`
  return `/**\n${safe.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

function linesOf(paragraph: string): readonly string[] {
  if (paragraph.includes('```')) return paragraph.split('\n')
  return paragraph.split('\n').flatMap(wrapped)
}

function wrapped(line: string): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > WIDTH) {
      lines.push(current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current]
}

/** Where a field stands, and what else is said of it. */
interface FieldPlace {
  readonly direction: Direction
  readonly note: string | undefined
  readonly at: string
}

/** What is said of a field: its meaning, its limits, its default, and who may pass it. */
export function fieldWords(schema: z.core.$ZodType, { direction, note = '', at }: FieldPlace): string {
  const json = z.toJSONSchema(schema as z.ZodType, { io: direction, unrepresentable: 'any' }) as JsonSchema
  const range = direction === 'input' ? rangeOf(json) : ''
  const meaning = json.description ?? FIELD_MEANINGS[at] ?? FIELD_MEANINGS[at.replace(/.*\./, '')]
  if (meaning === undefined)
    throw new Error(`say what ${at} is: in its schema, or in scripts/methods/field-meanings.ts`)
  const sentences = [
    asSentence(meaning),
    range === '' ? '' : `Limits: ${range}.`,
    json.default === undefined ? '' : `Default: \`${JSON.stringify(json.default)}\`.`,
    note,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** With a stop; a description may begin with a value, which stays as it is. */
function asSentence(text: string): string {
  return /[.…!?]$/.test(text) ? text : `${text}.`
}
