import type { Unmet } from '../../recall/explain.ts'
import { sentences, shortId } from '../wording.ts'
import { type CandidateView, movedWords, reasonWords } from './recall-view.ts'

/** The facts of one block in a recall that its sentences need. */
export interface Told {
  readonly id: string
  readonly frame: string
  readonly of: number
  /** Entries that the answer has a place for, besides those that the frame guarantees. */
  readonly places?: number | undefined
  readonly candidate?: CandidateView | undefined
  readonly reason?: CandidateView['reason'] | 'archived' | 'scope' | 'filtered' | 'no_vector' | undefined
  readonly shown?: CandidateView['shown']
  readonly under?: CandidateView['under']
  readonly short?: CandidateView['short']
  readonly filters?: readonly Unmet[]
  readonly archiveReason?: string | undefined
  readonly supersededBy?: string | undefined
  readonly scope?: string | undefined
}

const SHOWN = {
  entry: 'is shown',
  version: 'is shown under another',
  counterpoint: 'is shown as an objection',
}

/** Returns one sentence on whether a block is shown, its place, why, and by how much it fell short. */
export function whyWords(told: Told): string {
  const { id, candidate, of, reason, shown, short = {} } = told
  const place = candidate === undefined ? '' : `, number ${candidate.number} of ${of} candidates`
  const why = reason === undefined || shown === 'counterpoint' ? beneathWords(told) : causeWords(told)
  const missing = missingWords(reason, short)
  return sentences(
    `${shortId(id)} ${shown === undefined ? 'is not shown' : SHOWN[shown]}${place}${why && `: ${why}`}.`,
    candidate?.moved && `It stands before higher scores: ${movedWords(candidate)}.`,
    missing && `${missing}.`,
    reason !== 'no_vector' && short.lacksVector && 'It has no vector yet, so only its words can be found.',
  )
}

function beneathWords({ under }: Pick<Told, 'under'>): string {
  return under === undefined ? '' : reasonWords({ under })
}

function causeWords({ reason, under, short = {}, candidate, filters = [], frame, ...block }: Told): string {
  switch (reason) {
    case 'archived': {
      const by = block.supersededBy === undefined ? '' : `, superseded by ${shortId(block.supersededBy)}`
      return `it is archived${by || (block.archiveReason ? `, ${block.archiveReason}` : '')}`
    }
    case 'scope':
      return block.scope === undefined
        ? 'it belongs to no scope, and this one alone was asked'
        : `it belongs to the scope ${block.scope}, which was not asked`
    case 'filtered':
      return filters.map((each) => filterWords(each, frame)).join('; ')
    case 'no_vector':
      return 'it waits and has no vector yet, so only its words can be found'
    case 'pool':
      if (short.leastRank !== undefined) return 'it was never weighed, since enough others match better'
      return candidate === undefined ? 'nothing in it matches' : 'never weighed'
    case 'top_k':
      return [beyondWords(block.places), beneathWords({ under })].filter(Boolean).join(', ')
    default:
      return reasonWords({ reason, under })
  }
}

function beyondWords(places = 0): string {
  return places === 1 ? 'the answer has one place' : `beyond the first ${places}`
}

function filterWords({ name, values }: Unmet, frame: string): string {
  const named = values.join(' or ')
  switch (name) {
    case 'include':
      return `the frame ${frame} shows only what has a tag ${named}`
    case 'exclude':
      return `the frame ${frame} leaves out what has a tag ${named}`
    case 'classes':
      return `the frame ${frame} shows only what ${named} says`
    case 'sessionOnly':
      return `the frame ${frame} shows only what this session took in or used`
    case 'tags':
      return `the call asks for the tag ${named}`
    case 'category':
      return `the call asks for the category ${named}`
    case 'session':
      return `the call asks for the session ${named}`
  }
}

function missingWords(reason: Told['reason'], short: CandidateView['short']): string {
  const { lastShown, missing = 0, tokens } = short
  const last = lastShown && `the last one shown (${shortId(lastShown.id)})`
  switch (reason) {
    case 'top_k':
      if (last === undefined) return ''
      return missing > 0
        ? `It scores ${missing.toFixed(2)} less than ${last}`
        : `It scores no less than ${last}: what is trusted more and what is perhaps newer goes first`
    case 'token_budget':
      return tokens === undefined ? '' : `With it the text would have ${tokens} tokens`
    case 'nothing':
      return neededWords('The strength of the best match is', short.strength, short.leastStrength)
    case 'pool':
    case 'no_vector':
      return neededWords('Its match ranks', short.rank, short.leastRank)
    default:
      return ''
  }
}

function neededWords(what: string, has: number | undefined, needs: number | undefined): string {
  if (has === undefined) return ''
  return `${what} ${has.toFixed(2)}${needs === undefined ? '' : `, and ${needs.toFixed(2)} is needed`}`
}

/** The calls that would bring a block that is not shown; empty of one that is. */
export function bringingWords(told: Told): string {
  const { reason, shown } = told
  if (shown === 'entry' || reason === undefined) return ''
  return `To bring it: ${WAYS[reason](told)}.`
}

const IN_OTHER_WORDS =
  'ask in its words, or say with edit() in its cue when it should come; connect() joins it to one that comes'
const inOtherWords = ({ short }: Told) => (short?.lacksVector ? 'dream() gives it a vector' : IN_OTHER_WORDS)

const WAYS: Readonly<Record<NonNullable<Told['reason']>, (told: Told) => string>> = {
  top_k: ({ short }) => `recall({ limit: ${short?.limit ?? 'n'} }), or outcome() with it in helped`,
  token_budget: ({ short }) => `recall({ tokenBudget: ${short?.tokens ?? 'n'} }), or a smaller limit`,
  version: (told) => `ask what was before, or name what only it says${orBoth(told)}`,
  nothing: inOtherWords,
  pool: inOtherWords,
  without: () => 'leave its id out of without',
  class: ({ candidate }) => `add its class${candidate ? `, ${candidate.sourceClass},` : ''} to classes`,
  archived: ({ id }) => `restore() ${shortId(id)}`,
  scope: ({ scope }) =>
    scope === undefined ? 'ask without a scope' : `recall({ scope: '${scope}' }), or ask without a scope`,
  filtered: () => 'ask without the filter, or in another frame',
  no_vector: () => 'dream() gives it a vector',
}

function orBoth({ id, under }: Told): string {
  return under === undefined ? '' : `; if both hold, resolve() ${shortId(id)} ${shortId(under.id)} both`
}
