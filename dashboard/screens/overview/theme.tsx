import type { Output } from '../../api.ts'
import { dates, plural } from '../../format.ts'
import { When, Words } from '../../parts/chip.tsx'
import { Link, openBlock } from '../../router.tsx'
import { shown } from '../../shown.ts'

type ThemeOf = Output<'overview'>['themes'][number]

/** Notes that a card shows at once. */
const SHOWN = 8

/** One theme as a card: its telling words, each of which leads to all about it, and the notes that stand for it. */
export function Theme({ name, size, from, to, blocks }: ThemeOf) {
  const words = name.split(', ').filter((word) => word !== '')
  const months = [...new Set([from, to].map((at) => dates.date(at).replace(/^\d+ /, '')))].join(' to ')
  return (
    <section class="card">
      <div class="card-head wrap">
        <h2 dir="auto">
          {words.length === 0 && 'In the order of time'}
          {words.map((word, at) => (
            <span key={word}>
              {at > 0 && ', '}
              <Link class="plain-link" to="overview" query={{ about: word }}>
                {shown(word)}
              </Link>
            </span>
          ))}
        </h2>
        <span class="end small quiet-text">
          {plural(size, 'note')}, {months}
        </span>
      </div>
      <div class="card-body">
        <Notes blocks={blocks.slice(0, SHOWN)} />
        {blocks.length > SHOWN && (
          <details class="known-more">
            <summary>{plural(blocks.length - SHOWN, 'more note')}</summary>
            <Notes blocks={blocks.slice(SHOWN)} />
          </details>
        )}
      </div>
    </section>
  )
}

function Notes({ blocks }: Pick<ThemeOf, 'blocks'>) {
  return (
    <ul class="lines">
      {blocks.map(({ id, at, content }) => (
        <li key={id}>
          <button type="button" class="line" onClick={() => openBlock(id)}>
            <Words class="main clip-2" text={content} />
            <span class="small quiet-text nowrap">
              <When at={at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
