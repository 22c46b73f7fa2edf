import { useState } from 'preact/hooks'
import { number, shortId } from '../format.ts'
import { useOperation } from '../load.ts'
import { Chip, When, Who, Words } from '../parts/chip.tsx'
import { Notice } from '../parts/states.tsx'
import { Link, openBlock, place } from '../router.tsx'
import { shown as seen } from '../shown.ts'
import type { Shown } from './block-drawer.tsx'

const PAIRS: Readonly<Record<string, string>> = {
  contradiction: 'Something contradicts this',
  supersession: 'Something wants to take its place',
  perhaps_newer: 'One of two is perhaps newer',
  near_duplicate: 'Nearly the same is known',
}

/** Characters from which on words are cut until somebody asks for all. */
const LONG = 1_200

const BY = {
  given: 'as was said',
  text: 'read from its words',
  superseded: 'when another took its place',
} as const

/** The words themselves, whose they are, when they hold, and what is to be decided about them. */
export function BlockWords({ shown }: { readonly shown: Shown }) {
  const { block, openPairs, restsOnOutdated } = shown
  const { validFrom, validUntil, fromBy, untilBy } = block
  return (
    <>
      <section class="column block-words">
        <h1 class="unseen">Block {shortId(block.id)}</h1>
        <LongWords key={block.id} text={block.content} />
        <div class="row wrap">
          <Who sourceClass={block.sourceClass} source={block.source} />
          {block.scope && <Chip title="The scope it belongs to">{seen(block.scope)}</Chip>}
          {block.tags.map((tag) => (
            <Link key={tag} class="tag" to="memory" query={{ tag }}>
              #{seen(tag)}
            </Link>
          ))}
        </div>
        {(validFrom || validUntil) && (
          <p class="small second">
            Holds
            {validFrom && (
              <>
                {' '}
                from <When at={validFrom} />
                {fromBy && ` (${BY[fromBy]})`}
              </>
            )}
            {validUntil && (
              <>
                {' '}
                until <When at={validUntil} />
                {untilBy && ` (${BY[untilBy]})`}
              </>
            )}
            .
          </p>
        )}
        {block.supersededBy && <Version id={block.supersededBy} words={() => 'Another took its place'} />}
        {block.supersedes && <Version id={block.supersedes} words={(other) => placeWords(shown, other)} />}
      </section>
      {openPairs.map(({ other, kind, preview }) => (
        <Notice
          key={`${kind}${other}`}
          tone="warn"
          title={PAIRS[kind] ?? kind}
          action={
            <Link class="button small" to="review" query={{ kind }}>
              Decide
            </Link>
          }
        >
          <button type="button" class="plain" onClick={() => openBlock(other)}>
            <Words class="clip-2" text={preview} />
          </button>
        </Notice>
      ))}
      {restsOnOutdated && restsOnOutdated.length > 0 && (
        <Notice
          tone="warn"
          title="It rests on what holds no more"
          action={
            <Link class="button small" to="review" query={{ kind: 'outdated' }}>
              Decide
            </Link>
          }
        />
      )}
    </>
  )
}

function LongWords({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(text.length <= LONG)
  return (
    <>
      <div class={isOpen ? 'words' : 'words words-cut'} dir="auto">
        {seen(text)}
      </div>
      {text.length > LONG && (
        <div>
          <button type="button" class="link small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show less' : `Show all ${number(text.length)} characters`}
          </button>
        </div>
      )}
    </>
  )
}

interface VersionProps {
  readonly id: string
  /** How the two stand, as the other is now; undefined where it is gone. */
  readonly words: (other: Shown['block'] | undefined) => string
}

/** Another version, by the beginning of its words. */
function Version({ words, id }: VersionProps) {
  const { known } = place.value.query
  const past = known === undefined ? {} : { knownAt: known }
  const { data, isLoading } = useOperation('show', { blockId: id, edgeLimit: 1, ...past })
  const other = data?.block.id.startsWith(id) ? data.block : undefined
  if (other === undefined && isLoading) return null
  return (
    <p class="small second">
      {words(other)}:{' '}
      <button type="button" class={other ? 'link' : 'link mono'} onClick={() => openBlock(id)}>
        {other ? <Words text={beginningOf(other.content)} /> : shortId(id)}
      </button>
    </p>
  )
}

/** Characters of the words that say which version it is. */
const NAMED_LENGTH = 90

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= NAMED_LENGTH ? line : `${line.slice(0, NAMED_LENGTH).replace(/\s\S*$/, '')}…`
}

/** How a block stands to the one whose place it was remembered to take. */
function placeWords({ block, openPairs }: Shown, other: Shown['block'] | undefined): string {
  const isOpen = openPairs.some((pair) => pair.other === block.supersedes)
  if (isOpen || block.status === 'inbox') return 'It is to take the place of'
  const isDone =
    other === undefined || other.supersededBy !== undefined || other.archiveReason === 'superseded'
  return isDone ? 'It took the place of' : 'It was proposed for the place of'
}
