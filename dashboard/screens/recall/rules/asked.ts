import type { RecallInput } from '../../../../src/operations/methods.generated.ts'

/** The frames in the order of the page, with the words of their question, and what each shows. */
export const FRAMES = [
  {
    name: 'attention',
    label: 'Attention',
    hint: 'What bears on this question?',
    does: 'The usual frame: whatever bears on the question, but for the principles, which every session has already.',
  },
  {
    name: 'task',
    label: 'Task',
    hint: 'What do I need for this work?',
    does: 'For a piece of work: what bears on it and what supports that, and always the goals of the agent.',
  },
  {
    name: 'self',
    label: 'Self',
    hint: 'Who am I? No question is needed.',
    does: 'Who the agent is, read as every session begins: always its principles, then its own words about itself.',
  },
  {
    name: 'simulate',
    label: 'Simulate',
    hint: 'How would they react?',
    does: 'How somebody would react: always the principles and the minds of others, and decisions rank higher.',
  },
  {
    name: 'world',
    label: 'World',
    hint: 'What is known, without who I am?',
    does: 'Like attention, without anything about the agent itself.',
  },
  {
    name: 'short_term',
    label: 'Short term',
    hint: 'What came up in this session?',
    does: 'Like attention, but only what the session that asks took in or used.',
  },
] as const

/** What the frame of who the agent is shows, in one sentence. */
export const SELF_DOES = FRAMES[2].does

/** The name of a frame. */
type Frame = (typeof FRAMES)[number]['name']

/** A question of the lab, as its form and its address have it. */
export interface Asked {
  readonly query: string
  readonly frame: Frame
  readonly limit?: number | undefined
  readonly budget?: number | undefined
  readonly floor?: number | undefined
  readonly asOf?: string | undefined
  readonly knownAt?: string | undefined
}

type Parameters = Readonly<Record<string, string | undefined>>

/** The question in an address; what is no number or no frame there counts as left out. */
export function askedIn({ q = '', frame, k, budget, floor, asOf, knownAt }: Parameters): Asked {
  return {
    query: q,
    frame: FRAMES.find(({ name }) => name === frame)?.name ?? 'attention',
    ...known({
      limit: whole(k, BOUNDS.limit),
      budget: whole(budget, BOUNDS.budget),
      floor: share(floor),
      asOf: dated(asOf),
      knownAt: dated(knownAt),
    }),
  }
}

/** The parameters of an address for a question; what is as usual is left out. */
export function addressOf({ query, frame, limit, budget, floor, asOf, knownAt }: Asked): Parameters {
  return {
    q: query || undefined,
    frame: frame === 'attention' ? undefined : frame,
    k: limit?.toString(),
    budget: budget?.toString(),
    floor: floor?.toString(),
    asOf,
    knownAt,
  }
}

/** The least and the most of the whole numbers of the form, as `recall` takes them. */
export const BOUNDS = {
  limit: { least: 1, most: 1_000 },
  budget: { least: 16, most: 1_000_000 },
} as const

/** The fields of numbers, as they are typed. */
interface TypedNumbers {
  readonly limit: string
  readonly budget: string
  readonly floor: string
}

/** By the fields whose text is not taken, what is allowed in each; nothing of fields that are left empty. */
export function refusedIn({ limit, budget, floor }: TypedNumbers): Partial<TypedNumbers> {
  const isGiven = (text: string) => text.trim() !== ''
  const range = ({ least, most }: Range) => `a whole number from ${least} to ${most.toLocaleString('en')}`
  return known({
    limit: isGiven(limit) && whole(limit, BOUNDS.limit) === undefined ? range(BOUNDS.limit) : undefined,
    budget: isGiven(budget) && whole(budget, BOUNDS.budget) === undefined ? range(BOUNDS.budget) : undefined,
    floor: isGiven(floor) && share(floor) === undefined ? 'a number from 0 to 1, such as 0.35' : undefined,
  })
}

/** The call that looks and changes nothing. */
export function lookOf({ query, frame, limit, budget, floor, asOf, knownAt }: Asked): RecallInput {
  return {
    ...{ frame, explain: true, reinforce: false, suggest: true },
    ...known({ query: query || undefined, limit, tokenBudget: budget, minStrength: floor, asOf, knownAt }),
  }
}

/** True where a look has something to show: a question, or a frame that needs none. */
export function isAsked({ query, frame }: Asked): boolean {
  return query.trim() !== '' || frame === 'self'
}

interface Range {
  readonly least: number
  readonly most: number
}

/** A whole number of a field; undefined of anything else, and of what is out of range. */
export function whole(text: string | undefined, { least, most }: Range): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text.trim())) return undefined
  const value = Number(text)
  return value >= least && value <= most ? value : undefined
}

/** A share of a field, 0 to 1; `.35`, `0.35` and `0,35` alike. */
export function share(text: string | undefined): number | undefined {
  const said = text?.trim().replace(',', '.') ?? ''
  if (!/^(?:\d{1,2}|\d?\.\d{1,6})$/.test(said)) return undefined
  const value = Number(said)
  return value <= 1 ? value : undefined
}

function dated(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? text
    : undefined
}

function known<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as { [K in keyof T]?: NonNullable<T[K]> }
}
