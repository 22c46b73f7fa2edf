import { Button } from '../parts/button.tsx'
import { Words } from '../parts/chip.tsx'
import { Notice } from '../parts/states.tsx'
import { type Draft, FIELDS } from './draft.ts'

interface TheirsProps {
  readonly now: Draft
  readonly draft: Draft
  /** The parts that somebody else changed. */
  readonly names: readonly (keyof Draft)[]
  /** Those of them that are typed otherwise here. */
  readonly clashes: readonly (keyof Draft)[]
  readonly isShown: boolean
  /** Saving was tried, and replaces what somebody else wrote when it is tried again. */
  readonly isAsked: boolean
  readonly onShow: () => void
  readonly onTake: (name: keyof Draft) => void
}

/** What somebody else wrote while a correction was typed, beside what was typed. */
export function Theirs({ now, draft, names, clashes, isShown, isAsked, onShow, onTake }: TheirsProps) {
  return (
    <div class="column" role="status">
      <Notice
        tone={isAsked ? 'warn' : 'info'}
        title={isAsked ? 'Save yours in the place of theirs?' : 'Somebody changed it meanwhile'}
        action={
          !isShown && (
            <Button size="small" onClick={onShow}>
              Show
            </Button>
          )
        }
      >
        {clashes.length > 0
          ? `What you typed is still here. Saving replaces theirs: ${clashes.map((name) => FIELDS[name]).join(', ')}.`
          : 'What you typed is still here, and saving leaves what they wrote.'}
      </Notice>
      {isShown && (
        <dl class="theirs">
          {names.map((name) => (
            <div key={name}>
              <dt class="row between small">
                <span>Theirs: {FIELDS[name]}</span>
                {draft[name] !== now[name] && (
                  <Button size="small" label={`Take theirs: ${FIELDS[name]}`} onClick={() => onTake(name)}>
                    Take theirs
                  </Button>
                )}
              </dt>
              <dd>{now[name] === '' ? <span class="quiet-text">none</span> : <Words text={now[name]} />}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
