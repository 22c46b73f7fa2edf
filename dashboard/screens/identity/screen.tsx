import './identity.css'
import { useState } from 'preact/hooks'
import { type Answer, call, type Output } from '../../api.ts'
import { change, mayChange } from '../../change.ts'
import { number, percent, plural } from '../../format.ts'
import { changes } from '../../live.ts'
import { useLoad } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, Who, Words } from '../../parts/chip.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Link, openBlock } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { SELF_DOES } from '../recall/rules/asked.ts'
import { Add } from './add.tsx'
import { byPart, type IdentityPart, OTHERS, PARTS, reasonWords } from './parts.ts'
import { Reworded } from './reworded.tsx'

/** Blocks about itself that are read. */
const MOST = 200

type Listed = Output<'ls'>['blocks'][number]

interface Identity {
  readonly blocks: readonly (Listed & { readonly isWaiting: boolean })[]
  readonly frame: Output<'recall'>
}

/** The screen of who the agent is: its parts, and the self frame as the agent reads it. */
export function Screen() {
  const loaded = useLoad(readIdentity, [changes.value])
  const [adding, setAdding] = useState<IdentityPart>()
  return (
    <div class="sheet">
      <div class="row between wrap">
        <h1>Identity</h1>
        {loaded.data && (
          <span class="quiet-text small number">
            {plural(loaded.data.frame.blocks.length, 'block')} in the self frame,{' '}
            {number(loaded.data.frame.budgetUsed)} of {number(loaded.data.frame.budgetTotal)} tokens
          </span>
        )}
      </div>
      <Pending loaded={loaded} lines={12}>
        {(identity) => (
          <>
            {identity.blocks.length === 0 && <Nobody onWrite={() => setAdding(PARTS[0])} />}
            <div class="grid">
              <div class="span-8 column wide-gap">
                <Parts blocks={identity.blocks} onAdd={setAdding} />
              </div>
              <div class="span-4 column wide-gap">
                <Frame {...identity} />
                <Reworded />
              </div>
            </div>
          </>
        )}
      </Pending>
      {adding && <Add part={adding} onClose={() => setAdding(undefined)} />}
    </div>
  )
}

function Nobody({ onWrite }: { readonly onWrite: () => void }) {
  return (
    <section class="card">
      <Empty icon="person" title="It does not know who it is">
        <p>Give it an identity, values and principles, and every session begins with them.</p>
        {mayChange.value && (
          <div class="row wrap identity-begin">
            <Button tone="primary" onClick={onWrite}>
              Write who it is
            </Button>
            <Button
              onClick={() => void change('setup', { seed: true }, { again: 'Take the built-in principles' })}
            >
              Take the ten built-in principles
            </Button>
          </div>
        )}
      </Empty>
    </section>
  )
}

function Parts({
  blocks,
  onAdd,
}: {
  readonly blocks: Identity['blocks']
  readonly onAdd: (part: IdentityPart) => void
}) {
  const found = byPart(blocks)
  const others = found.get(OTHERS.key) ?? []
  return (
    <>
      {PARTS.map((part) => (
        <section class="card" key={part.key}>
          <div class="card-head">
            <h2>{part.name}</h2>
            <span class="quiet-text small clip grow only-wide">{part.hint}</span>
            {mayChange.value && (
              <span class="end">
                <Button size="small" icon="plus" label={`Add to: ${part.name}`} onClick={() => onAdd(part)}>
                  Add
                </Button>
              </span>
            )}
          </div>
          <Statements blocks={found.get(part.key) ?? []} />
        </section>
      ))}
      {others.length > 0 && (
        <section class="card">
          <div class="card-head">
            <h2>{OTHERS.name}</h2>
            <span class="quiet-text small clip grow only-wide">{OTHERS.hint}</span>
          </div>
          <Statements blocks={others} />
        </section>
      )}
    </>
  )
}

function Statements({ blocks }: { readonly blocks: Identity['blocks'] }) {
  if (blocks.length === 0) return <p class="card-body quiet-text small">None yet.</p>
  return (
    <ul class="card-body lines">
      {blocks.map(({ id, content, sourceClass, source, isWaiting }) => (
        <li key={id}>
          <button type="button" class="line" onClick={() => openBlock(id)}>
            <Words class="main identity-words" text={content} />
            {isWaiting && <Chip tone="info">waits for a dream</Chip>}
            <Who sourceClass={sourceClass} source={source === 'setup' ? undefined : source} />
          </button>
        </li>
      ))}
    </ul>
  )
}

function Frame({ frame, blocks }: Identity) {
  const share = frame.budgetTotal === 0 ? 0 : frame.budgetUsed / frame.budgetTotal
  const words = new Map(blocks.map(({ id, content }) => [id, content]))
  return (
    <section class="card">
      <div class="card-head">
        <h2>As the agent reads it</h2>
      </div>
      <div class="card-body column">
        <p class="small second">
          <b>Frame self.</b> {SELF_DOES} It has {number(frame.budgetTotal)} tokens.{' '}
          <Link class="link" to="recall" query={{ frame: 'self' }}>
            Look at it in the lab
          </Link>
        </p>
        <div
          class="identity-budget"
          role="img"
          aria-label={`${percent(share)} % of the budget of the self frame is used`}
        >
          <i class={share > 0.9 ? 'is-full' : ''} style={{ width: `${Math.min(100, 100 * share)}%` }} />
        </div>
        {frame.text === '' ? (
          <p class="quiet-text small">Nothing yet: what waits comes in with the next dream.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          <pre class="frame identity-frame" dir="auto" tabIndex={0}>
            {shown(frame.text)}
          </pre>
        )}
        {frame.dropped.length > 0 && (
          <>
            <h3>Had no room</h3>
            <ul class="lines">
              {frame.dropped.map(({ id, reason }) => (
                <li key={id}>
                  <button type="button" class="line" onClick={() => openBlock(id)}>
                    <span class="main">
                      <Words class="clip-2" text={words.get(id) ?? id} />
                      <span class="quiet-text small">{reasonWords(reason)}</span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}

/** Reads the self frame as a look, and all blocks about the agent itself, those that wait among them. */
async function readIdentity(signal: AbortSignal): Promise<Answer<Identity>> {
  const list = (status: 'active' | 'inbox') =>
    call('ls', { tag: 'self/*', status, sort: 'oldest', limit: MOST }, { signal })
  const [frame, active, inbox] = await Promise.all([
    call('recall', { frame: 'self', reinforce: false }, { signal }),
    list('active'),
    list('inbox'),
  ])
  if (!frame.ok) return frame
  if (!active.ok) return active
  if (!inbox.ok) return inbox
  const blocks = [
    ...active.value.blocks.map((block) => ({ ...block, isWaiting: false })),
    ...inbox.value.blocks.map((block) => ({ ...block, isWaiting: true })),
  ]
  return { ok: true, value: { blocks, frame: frame.value } }
}
