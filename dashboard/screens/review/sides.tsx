import type { ComponentChildren } from 'preact'
import type { DecidedBlock, Decision } from '../../../src/operations/methods.generated.ts'
import { percent, plural, speakerWords, statusWords } from '../../format.ts'
import { Chip, When, Who } from '../../parts/chip.tsx'
import { Marked } from '../../parts/marked.tsx'
import { type TextPart, wordDifference } from '../../parts/word-difference.ts'
import { openBlock } from '../../router.tsx'
import { shown } from '../../shown.ts'

/** Both sides of a decision, those words marked in which they differ. */
export function Sides({ decision }: { readonly decision: Decision }) {
  const { kind, first, second, change } = decision
  if (change !== undefined) return <Proposed decision={decision} />
  if (first === undefined) return null
  if (second === undefined)
    return (
      <div class="sides one">
        <Side head="It says" block={first} parts={[{ text: shown(first.content), isOther: false }]} />
      </div>
    )
  const isPair = kind !== 'outdated'
  const parts = partsOf(first.content, second.content, isPair)
  const [head, otherHead] = isPair ? ['First', 'Second'] : ['It says', 'It rests on']
  return (
    <div class="sides">
      <Side head={head ?? ''} block={first} parts={parts[0]} isMarked={isPair} />
      <Side head={otherHead ?? ''} block={second} parts={parts[1]} isMarked={isPair} isEnded={!isPair} />
    </div>
  )
}

type BothParts = readonly [readonly TextPart[], readonly TextPart[]]

function partsOf(one: string, other: string, isCompared: boolean): BothParts {
  const [a, b] = [shown(one), shown(other)]
  if (isCompared) return wordDifference(a, b)
  return [[{ text: a, isOther: false }], [{ text: b, isOther: false }]]
}

interface SideProps {
  readonly head: string
  readonly block: DecidedBlock
  readonly parts: readonly TextPart[]
  /** It says whether recall shows it meanwhile. */
  readonly isMarked?: boolean
  readonly isEnded?: boolean
}

function Side({ head, block, parts, isMarked = false, isEnded = false }: SideProps) {
  const { id, sourceClass, speaker, saidAt, edges, isShown, isPrinciple, status } = block
  return (
    <section class="side-of" aria-label={head}>
      <div class="row between side-head">
        <h3>{head}</h3>
        {isMarked &&
          (isShown ? <Chip tone="accent">shown meanwhile</Chip> : <Chip>under the other meanwhile</Chip>)}
        {isEnded && <Chip tone="warn">holds no more</Chip>}
      </div>
      <button type="button" class="plain" onClick={() => openBlock(id)}>
        <span class="words" dir="auto">
          <Marked parts={parts} />
        </span>
      </button>
      <div class="row wrap small quiet-text side-facts">
        <Who sourceClass={sourceClass} source={labelOf(speaker)} />
        <When at={saidAt} />
        <span>{evidence(block)}</span>
        <span>{plural(edges, 'edge')}</span>
        {isPrinciple && <Chip tone="accent">a principle</Chip>}
        {status !== 'active' && <Chip tone="warn">{statusWords(status)}</Chip>}
      </div>
    </section>
  )
}

/** The label in the name of a speaker: `document: timetable.pdf`. */
function labelOf(speaker: string): string | undefined {
  const at = speaker.indexOf(': ')
  return at < 0 ? undefined : speaker.slice(at + 2)
}

function evidence({ helped, misled, belief }: DecidedBlock): string {
  if (helped + misled === 0) return 'untested'
  const rounded = (value: number) => String(Math.round(value * 10) / 10)
  return `helped ${rounded(helped)}, misled ${rounded(misled)}, confidence ${percent(belief)} %`
}

/** A proposal: as it is, and as it would be. */
function Proposed({ decision: { change, first } }: { readonly decision: Decision }) {
  if (change === undefined) return null
  if (change.field === 'sourceClass') return <Trust {...{ change, first }} />
  if (change.before === undefined)
    return (
      <div class="sides one">
        <Plain head="It would say">{shown(change.after)}</Plain>
      </div>
    )
  const [before, after] = partsOf(change.before, change.after, true)
  return (
    <div class="sides">
      {first ? (
        <Side head="As it is" block={first} parts={before} />
      ) : (
        <Plain head="As it is">
          <Marked parts={before} />
        </Plain>
      )}
      <Plain head="As it would be">
        <Marked parts={after} />
      </Plain>
    </div>
  )
}

function Plain({ head, children }: { readonly head: string; readonly children: ComponentChildren }) {
  return (
    <section class="side-of" aria-label={head}>
      <div class="row between side-head">
        <h3>{head}</h3>
      </div>
      <p class="words" dir="auto">
        {children}
      </p>
    </section>
  )
}

function Trust({ change, first }: Pick<Decision, 'change' | 'first'>) {
  if (change === undefined || first === undefined) return null
  return (
    <div class="sides">
      <Side head="It says" block={first} parts={[{ text: shown(first.content), isOther: false }]} />
      <section class="side-of" aria-label="Whose words it would count as">
        <div class="row between side-head">
          <h3>Whose words it counts as</h3>
        </div>
        <p class="words">
          now the {speakerWords(change.before ?? first.sourceClass)}’s, then the {speakerWords(change.after)}
          ’s
        </p>
      </section>
    </div>
  )
}
