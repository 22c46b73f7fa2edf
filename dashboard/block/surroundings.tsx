import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { useLoad } from '../load.ts'
import { Words } from '../parts/chip.tsx'
import { Pending } from '../parts/states.tsx'
import { openBlock } from '../router.tsx'
import type { Shown } from './block-drawer.tsx'

/** Blocks of a conversation that are looked through. */
const CONVERSATION = 500
/** Blocks shown on each side. */
const BESIDE = 3

interface Joined {
  readonly other: string
  readonly preview: string
  readonly foundBy: string
}

const FOUND = { given: 'said so', host: 'judged by the host' } as const

/** What it rests on, and what rests on it. */
export function Grounds({ shown: { derivedFrom, restsOnIt } }: { readonly shown: Shown }) {
  if (derivedFrom.length + restsOnIt.length === 0) return null
  return (
    <section class="column">
      <GroundList title="It rests on" all={derivedFrom} />
      <GroundList title="Rests on it" all={restsOnIt} />
    </section>
  )
}

function GroundList({ title, all }: { readonly title: string; readonly all: readonly Joined[] }) {
  if (all.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul class="lines">
        {all.map(({ other, preview, foundBy }) => (
          <li key={other}>
            <button type="button" class="line" onClick={() => openBlock(other)}>
              <Words class="main clip-2" text={preview} />
              <span class="small quiet-text">{FOUND[foundBy as keyof typeof FOUND] ?? foundBy}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** What was said before and after it; loaded when somebody opens it. */
export function Around({ shown: { block } }: { readonly shown: Shown }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2>Said around it</h2>
        </summary>
        {isOpen && <Conversation id={block.id} session={block.session} />}
      </details>
    </section>
  )
}

function Conversation({ id, session }: { readonly id: string; readonly session: string }) {
  const loaded = useLoad(
    (signal) => call('ls', { session, sort: 'oldest', limit: CONVERSATION }, { signal }),
    [session],
  )
  return (
    <Pending loaded={loaded} lines={3}>
      {({ blocks }) => {
        const at = blocks.findIndex((block) => block.id === id)
        const near = at < 0 ? [] : blocks.slice(Math.max(0, at - BESIDE), at + BESIDE + 1)
        if (near.length < 2)
          return <p class="small quiet-text">Nothing else of this conversation is active.</p>
        return (
          <ol class="around">
            {near.map((block) => (
              <li key={block.id}>
                <button
                  type="button"
                  class="plain"
                  aria-current={block.id === id ? 'true' : undefined}
                  onClick={() => openBlock(block.id)}
                >
                  <span class="clip-2 small">
                    {block.source && (
                      <b>
                        <Words text={block.source} />:{' '}
                      </b>
                    )}
                    <Words text={block.content} />
                  </span>
                </button>
              </li>
            ))}
          </ol>
        )
      }}
    </Pending>
  )
}
