import { useState } from 'preact/hooks'
import type { RecallCandidate, RecallResult } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { mayChange } from '../../change.ts'
import { number, percent, plural } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, type Tone } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { CandidateRow } from './candidate-row.tsx'
import { Report } from './report.tsx'
import type { Asked } from './rules/asked.ts'
import { type Mark, marked, moveOf, type Places, placesOf } from './rules/moves.ts'
import { numbersOf } from './rules/numbers.ts'
import { scaleOf, termsIn } from './rules/terms.ts'
import { Legend } from './terms-view.tsx'
import { WhyNot } from './why-not.tsx'

/** Candidates that are shown below the line until more are asked for. */
const BELOW = 14

interface CandidatesProps {
  readonly answer: RecallResult
  readonly asked: Asked
  readonly query: Query
  /** The places before the last report. */
  readonly before: Places | undefined
  readonly ask: (change: Partial<Asked>) => void
  readonly again: () => void
  readonly reported: (ids: readonly string[]) => void
}

/** Every candidate in the order of the answer, with a line below the last one that is shown. */
export function Candidates(props: CandidatesProps) {
  const { answer, asked, query, before, ask, again, reported } = props
  const [marks, setMarks] = useState<ReadonlyMap<string, Mark>>(new Map())
  const [isWhole, setWhole] = useState(false)
  const all = answer.candidates ?? []
  const entries = all.filter((each) => each.shown === 'entry')
  const room = { entries: entries.length, query: asked.query, limit: asked.limit }
  const cut = all.findLastIndex((each) => each.shown === 'entry') + 1
  const cutBehind = endOfGroup(all, cut)
  const [above, below] = [all.slice(0, cutBehind), all.slice(cutBehind)]
  const numbers = numbersOf(all)
  const now = placesOf(entries.map(({ id }) => id))
  const scale = scaleOf(all.map(({ explanation }) => explanation.terms))
  const canMark = mayChange.value && asked.asOf === undefined && asked.knownAt === undefined
  const row = (candidate: RecallCandidate) => (
    <CandidateRow
      key={candidate.id}
      {...{ candidate, scale, answer, room, ask, again }}
      number={numbers.get(candidate.id)}
      isOpen={query.open === candidate.id}
      onOpen={() => setQuery({ open: query.open === candidate.id ? undefined : candidate.id })}
      move={moveOf(candidate.id, { before, now })}
      mark={marks.get(candidate.id)}
      onMark={
        canMark && candidate.shown === 'entry'
          ? (mark) => setMarks((all) => marked(all, candidate.id, mark))
          : undefined
      }
    />
  )
  const seen = isWhole || before !== undefined ? below : below.slice(0, BELOW)
  return (
    <section class="card span-8 candidates" aria-labelledby="found">
      <Head answer={answer} total={all.length} />
      {entries.length === 0 && (
        <p class="nothing-shown second" dir="auto">
          {shown(withoutFrame(answer.summary))}
        </p>
      )}
      <Legend names={termsIn(all.map(({ explanation }) => explanation.terms))} />
      <ol aria-label="Shown to the agent">{above.map(row)}</ol>
      <Line answer={answer} entries={entries.length} />
      <WhyNot {...{ asked, query, scale, room, ask, again, candidates: all }} />
      <ol aria-label="Not shown">{seen.map(row)}</ol>
      {seen.length < below.length && (
        <div class="more-candidates">
          <Button size="small" onClick={() => setWhole(true)}>
            Show the other {number(below.length - seen.length)}
          </Button>
        </div>
      )}
      <Report
        {...{ marks, asked }}
        onClear={() => setMarks(new Map())}
        onDone={() => {
          setMarks(new Map())
          reported(entries.map(({ id }) => id))
        }}
      />
    </section>
  )
}

/** What stands under the last entry stands above the line with it. */
function endOfGroup(all: readonly RecallCandidate[], cut: number): number {
  const last = all[cut - 1]
  if (last === undefined) return cut
  let end = cut
  while (all[end]?.under !== undefined && all[end]?.under?.id === last.id) end++
  return end
}

const VERDICTS: Readonly<Record<RecallResult['match'], readonly [string, Tone?]>> = {
  match: ['Found', 'good'],
  perhaps: ['Perhaps on the subject', 'warn'],
  nothing: ['Nothing bears on it', 'warn'],
  unasked: ['The frame without a question'],
}

function Head({ answer, total }: { readonly answer: RecallResult; readonly total: number }) {
  const [verdict, tone] = VERDICTS[answer.match]
  const { probability, strength } = answer
  return (
    <div class="card-head candidates-head">
      <h2 id="found">{verdict}</h2>
      {total > 0 && probability !== undefined && (
        <Chip tone={tone} title="The chance that the answer bears on the question">
          {percent(probability)} % likely to bear on it
        </Chip>
      )}
      {total > 0 && strength !== undefined && (
        <Chip title="The strength of the best match">best match {percent(strength)} %</Chip>
      )}
      <span class="end small quiet-text number">{plural(total, 'candidate')}</span>
    </div>
  )
}

/** The summary begins with the name of the frame. */
function withoutFrame(summary: string): string {
  const words = summary.replace(/^\w+: /, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function Line({ answer, entries }: { readonly answer: RecallResult; readonly entries: number }) {
  const words = entries === 0 ? 'nothing is shown to the agent' : 'shown to the agent'
  return (
    <p class="cut-line">
      {entries > 0 && <Icon name="up" size={13} />}
      {words}
      <span class="end small quiet-text number">{entries > 0 && plural(answer.blocks.length, 'block')}</span>
    </p>
  )
}
