import type * as z from 'zod'
import { type OwnerValues, ownerArguments } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { aliasOf } from '../../src/operations/schemas.ts'
import { COSTS, EFFECTS } from '../docs/reference.ts'
import { thrownBy } from './thrown.ts'
import { type FieldNotes, isOptional } from './type-text.ts'

/** What is said of a method, paragraph by paragraph. */
export function methodWords(operation: Operation): readonly string[] {
  const { summary, guide, effect, cost, idempotent, needs } = operation
  const facts = [
    EFFECTS[effect],
    COSTS[cost],
    ...(idempotent ? ['calling it twice changes nothing more'] : []),
    ...(needs === 'owner' ? ['for the owner alone'] : []),
  ]
  return [
    summary,
    `**When:** ${guide.when}`,
    `**Instead:** ${guide.whenNot}`,
    `**Next:** ${guide.next}`,
    `**Cost:** it ${facts.join('; ')}.`,
    [`@returns ${returned(operation)}`, ...thrownBy(operation).map((each) => `@throws ${each}`)].join('\n'),
    `@example\n\`\`\`ts\n${guide.example}\n\`\`\``,
  ]
}

/** Fields of a result that a comment names; the editor shows the others. */
const NAMED = 6

const isAlias = (schema: z.core.$ZodType) => aliasOf(schema as z.ZodType) !== undefined

/** Names the fields that a result always has. */
function returned({ output }: Operation): string {
  const { shape } = output as z.ZodObject
  const names = Object.keys(shape).filter(
    (name) => name !== 'summary' && !isOptional(shape[name]!, 'output') && !isAlias(shape[name]!),
  )
  const named = names.slice(0, NAMED).map((name) => `\`${name}\``)
  const more = names.length > NAMED || names.length + 1 < Object.keys(shape).length ? ' and more' : ''
  return [...named, `\`summary\`${more}`].join(', ')
}

/** What is said of the arguments that only an owner may pass. */
export function ownersNotes(operation: Operation): FieldNotes {
  const rules = Object.entries(ownerArguments(operation))
  return Object.fromEntries(rules.flatMap(([name, values]) => [[name, noteOf(values)]]))
}

function noteOf(values: OwnerValues): string {
  if (values === 'given') return 'Only an owner may pass it.'
  if (!Array.isArray(values)) return 'Some values in it are for an owner alone.'
  return `Only an owner may say ${values.map((each) => `\`${JSON.stringify(each)}\``).join(' or ')}.`
}
