import type { RecallCandidate, RecallResult } from '../../../src/operations/methods.generated.ts'
import { percent, relationColour, relationWords, shortId } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, Who, Words } from '../../parts/chip.tsx'
import { openBlock } from '../../router.tsx'
import { shown as visible } from '../../shown.ts'
import type { Asked } from './rules/asked.ts'
import type { Mark, moveOf } from './rules/moves.ts'
import { numberWords } from './rules/numbers.ts'
import { movedWords, type Room, reasonOf } from './rules/reasons.ts'
import { Bar, Explained } from './terms-view.tsx'
import { Ways } from './ways.tsx'

interface RowProps {
  readonly candidate: RecallCandidate
  readonly answer: RecallResult
  /** Undefined of what stands under another. */
  readonly number: number | undefined
  /** Score of the longest bar. */
  readonly scale: number
  /** Entries of the answer. */
  readonly room: Room
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly move: ReturnType<typeof moveOf>
  readonly mark: Mark | undefined
  /** Undefined where nothing can be reported of it. */
  readonly onMark: ((mark: Mark) => void) | undefined
  readonly ask: (change: Partial<Asked>) => void
  readonly again: () => void
}

/** A candidate: its place, words, what brought it, its score, and marks for a report. */
export function CandidateRow(props: RowProps) {
  const { candidate, scale, room, isOpen, onOpen, mark, onMark } = props
  const { id, content, cut, shown, strength, score } = candidate
  const { number } = props
  const why = `why-${id}`
  return (
    <li class={classesOf(candidate)}>
      <div class="candidate-line">
        <span class="rank number">{number}</span>
        <div class="candidate-said">
          <button type="button" class="plain" onClick={() => openBlock(id)}>
            <Words class="clip-2" text={cut ? `${content}…` : content} />
          </button>
          <Chips {...props} />
        </div>
        <button type="button" class="score" aria-expanded={isOpen} aria-controls={why} onClick={onOpen}>
          <Bar terms={candidate.explanation.terms} scale={scale} />
          <span class="row between small quiet-text number">
            <span>score {score.toFixed(3)}</span>
            <span class="why-word">{isOpen ? 'less' : 'why'}</span>
          </span>
        </button>
        <Strength value={strength} />
        {onMark && number ? <Marks mark={mark} onMark={onMark} number={number} /> : <span class="marks" />}
      </div>
      {isOpen && (
        <div class="explained" id={why}>
          <Explained explanation={candidate.explanation} score={score} />
          {shown !== 'entry' && <Ways placed={candidate} room={room} ask={props.ask} again={props.again} />}
        </div>
      )}
    </li>
  )
}

function classesOf({ shown, under }: RecallCandidate): string {
  return ['candidate', shown === undefined && 'left-out', under && 'beneath'].filter(Boolean).join(' ')
}

function Chips({ candidate, answer, room, move }: RowProps) {
  const { id, sourceClass, source, path } = candidate
  const block = answer.blocks.find((each) => each.id === id)
  const reason = reasonOf(candidate, room)
  const moved = movedWords(candidate, (other) => named(other, answer))
  return (
    <span class="row wrap chips">
      <Who sourceClass={sourceClass} source={source} />
      {move && (
        <Chip tone={move.isUp ? 'good' : 'warn'} icon={move.isUp ? 'up' : 'down'}>
          {move.words}
        </Chip>
      )}
      {block?.guaranteed && <Chip tone="accent">always shown</Chip>}
      {block?.waiting && <Chip title="It is found, and not yet linked or judged">waits for a dream</Chip>}
      {block?.ended && <Chip tone="warn">holds no more</Chip>}
      {block?.perhapsNewerThan?.map((other) => (
        <Chip key={other}>perhaps newer than {named(other, answer)}</Chip>
      ))}
      {block?.contradicts?.map((other) => (
        <Chip key={other} tone="bad">
          contradicts {named(other, answer)}
        </Chip>
      ))}
      {path && (
        <Chip title={`An edge of ${shortId(path.seed)} brought it, weight ${path.weight.toFixed(2)}`}>
          <i class="swatch" style={{ background: relationColour(path.relation) }} />
          {relationWords(visible(path.relation))} from {named(path.seed, answer)}
        </Chip>
      )}
      {reason && <Chip tone={reason.tone === 'plain' ? undefined : reason.tone}>{reason.words}</Chip>}
      {moved && (
        <span class="small second" title="Scores order an answer, unless one of these rules knows better">
          {moved}
        </span>
      )}
      {candidate.under && <span class="small quiet-text">under {named(candidate.under.id, answer)}</span>}
    </span>
  )
}

/** A candidate by its number, anything else by its id. */
function named(id: string, { candidates = [] }: RecallResult): string {
  return numberWords(id, candidates) ?? shortId(id)
}

function Strength({ value }: { readonly value: number | undefined }) {
  if (value === undefined) return <span class="meter strength" />
  return (
    <span class="meter strength" title={`Strength of the match ${percent(value)} %`}>
      <i>
        <u style={{ width: `${Math.max(2, Math.min(100, value * 100))}%` }} />
      </i>
      <span>
        <span class="unseen">strength of the match </span>
        {percent(value)}
      </span>
    </span>
  )
}

interface MarksProps {
  readonly mark: Mark | undefined
  readonly onMark: (mark: Mark) => void
  readonly number: number
}

function Marks({ mark, onMark, number }: MarksProps) {
  return (
    <span class="row marks">
      <Button
        size="small"
        icon="up"
        label={`Number ${number} helped`}
        aria-pressed={mark === 'helped'}
        onClick={() => onMark('helped')}
      />
      <Button
        size="small"
        icon="down"
        label={`Number ${number} misled`}
        aria-pressed={mark === 'misled'}
        onClick={() => onMark('misled')}
      />
    </span>
  )
}
