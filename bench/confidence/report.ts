import { recallSettings } from '../../src/config/recall-settings.ts'
import { MATCH_CONFIDENCE, type MatchConfidenceOptions } from '../../src/domain/score/match-confidence.ts'
import { type Part, textOf } from '../lib/part.ts'
import { percent, type Table } from '../lib/table.ts'
import type { Asked } from './ask.ts'
import { brier, fitConfidence, type Judged, meansOf, reliability } from './fit.ts'

/** What was asked where. */
export interface Answers {
  /** In memories of some hundred blocks. */
  readonly large: readonly Asked[]
  /** In memories of a few. */
  readonly small: readonly Asked[]
  /** Questions to conversations, when a file was given. */
  readonly conversations: readonly Asked[]
}

/** Shares of the runner-up, from the strength alone to the distance of both. */
const RUNNER_UP_SHARES = [0, 0.25, 0.5, 0.75, 1]
/** Shares of descriptions that mean no block of the memory, to see how much the curve depends on it. */
const ABSENT_SHARES = [0, 0.1, 0.25, 0.5]
/** The share that the shipped curve is fitted for. */
const ABSENT_SHARE = 0.25
/** Blocks that recall finds with less count as nothing found. */
const NOTHING_BELOW = recallSettings.parse({}).nothingBelow

export function report({ large, small, conversations }: Answers) {
  const fitting = large.filter(({ forCheck }) => !forCheck)
  const checks: Check[] = [
    {
      name: 'the other half',
      matches: found(
        large.filter(({ forCheck }) => forCheck),
        ABSENT_SHARE,
      ),
    },
    { name: 'small memories', matches: found(small, ABSENT_SHARE) },
    ...(conversations.length > 0 ? [{ name: 'LoCoMo', matches: found(conversations, 0) }] : []),
  ]
  const curves = [
    ...RUNNER_UP_SHARES.map((share) => fitConfidence(found(fitting, ABSENT_SHARE), share)),
    MATCH_CONFIDENCE,
  ].map((options) => ({ ...options, briers: checks.map(({ matches }) => brier(matches, options)) }))
  const shares = ABSENT_SHARES.map((share) => ({
    share,
    ...fitConfidence(found(fitting, share), MATCH_CONFIDENCE.runnerUpShare),
  }))
  const bins = checks.map(({ name, matches }) => ({ name, bins: reliability(matches, MATCH_CONFIDENCE) }))
  const kinds = kindsOf([...large, ...conversations])
  const data: ConfidenceData = {
    asked: { large: large.length, small: small.length },
    checks: checks.map(({ name }) => name),
    curves,
    shares,
    bins,
    kinds,
  }
  return { report: textOf(partsOf(data)), data }
}

type Curve = MatchConfidenceOptions & { readonly briers: readonly number[] }
type Bins = ReturnType<typeof reliability>

interface ConfidenceData {
  readonly asked: { readonly large: number; readonly small: number }
  readonly checks: readonly string[]
  readonly curves: readonly Curve[]
  readonly shares: readonly (MatchConfidenceOptions & { readonly share: number })[]
  /** Of each check, in their order. */
  readonly bins: readonly { readonly name: string; readonly bins: Bins }[]
  readonly kinds: readonly KindRow[]
}

/** The tables of a result. */
export function partsOf({ asked, checks, curves, shares, bins, kinds }: ConfidenceData): readonly Part[] {
  return [
    {
      name: 'asked',
      body: `${asked.large} descriptions asked in large memories, ${asked.small} in small ones; one half of the large ones' blocks to fit, the other to check`,
    },
    { name: 'curves', body: curveTable(curves, checks) },
    ...bins.map(({ name, bins: each }) => ({
      name: `bins-${name.toLowerCase().replaceAll(' ', '-')}`,
      title: `The shipped curve on ${name}`,
      body: reliabilityTable(each),
    })),
    { name: 'kinds', body: kindTable(kinds) },
    { name: 'absent', body: absentTable(shares) },
  ]
}

interface Check {
  readonly name: string
  readonly matches: readonly Judged[]
}

function found(asked: readonly Asked[], absentShare: number): readonly Judged[] {
  return weigh(
    asked.filter(({ strength }) => strength >= NOTHING_BELOW),
    absentShare,
  )
}

/**
 * Each kind counts as much as any other, whatever their numbers: of its weight the given share lies on descriptions
 * whose block is not there.
 */
export function weigh(asked: readonly Asked[], absentShare: number): (Asked & Judged)[] {
  const keyOf = ({ kind, present }: Asked) => `${kind} ${present}`
  const counts = new Map([...Map.groupBy(asked, keyOf)].map(([key, { length }]) => [key, length]))
  return asked.map((each) => ({
    ...each,
    weight: (each.present ? 1 - absentShare : absentShare) / (counts.get(keyOf(each)) as number),
  }))
}

interface KindRow {
  readonly kind: string
  readonly present: boolean
  readonly asked: number
  readonly nothing: number
  readonly right: number
  readonly confidence: number
}

/** What each kind found in the checking half, with its block there and without. */
function kindsOf(asked: readonly Asked[]): KindRow[] {
  const checked = asked.filter(({ forCheck }) => forCheck)
  return [...Map.groupBy(checked, ({ kind, present }) => `${kind} ${present}`).values()]
    .map((all) => {
      const { kind, present } = all[0] as Asked
      const matches = all.filter(({ strength }) => strength >= NOTHING_BELOW)
      const judged = matches.map((each) => ({ ...each, weight: 1 }))
      const nothing = 1 - matches.length / all.length
      return { kind, present, asked: all.length, nothing, ...meansOf(judged, MATCH_CONFIDENCE) }
    })
    .sort((a, b) => Number(b.present) - Number(a.present) || b.right - a.right)
}

function curveTable(rows: readonly Curve[], checks: readonly string[]): Table {
  return {
    head: ['curve', 'runner-up', 'midpoint', 'width', ...checks.map((name) => `Brier, ${name}`)],
    rows: rows.map(({ runnerUpShare, midpoint, width, briers }, i) => [
      i < RUNNER_UP_SHARES.length ? 'fitted' : 'shipped',
      runnerUpShare.toFixed(2),
      midpoint.toFixed(3),
      width.toFixed(3),
      ...briers.map((each) => each.toFixed(4)),
    ]),
  }
}

function reliabilityTable(bins: Bins): Table {
  return {
    head: ['confidence said', 'matches', 'mean said', 'right'],
    rows: bins.map(({ from, matches, confidence, right }) => [
      `${from.toFixed(1)}–${(from + 0.1).toFixed(1)}`,
      String(matches),
      percent(confidence),
      percent(right),
    ]),
  }
}

function kindTable(rows: readonly KindRow[]): Table {
  return {
    head: ['described by', 'its block is', 'asked', 'nothing found', 'of the rest right', 'confidence'],
    rows: rows.map(({ kind, present, asked, nothing, right, confidence }) => [
      kind,
      present ? 'there' : 'missing',
      String(asked),
      percent(nothing),
      percent(right),
      percent(confidence),
    ]),
    textColumns: 2,
  }
}

function absentTable(rows: ConfidenceData['shares']): Table {
  return {
    head: ['descriptions of no block, percent', 'midpoint', 'width'],
    rows: rows.map(({ share, midpoint, width }) => [percent(share), midpoint.toFixed(3), width.toFixed(3)]),
  }
}
