import { plural } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { When, Words } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Pending } from '../../parts/states.tsx'
import { Link, openBlock } from '../../router.tsx'
import type { Status } from './screen.tsx'

/** Blocks named of a dream. */
const NAMED = 5

type Dream = NonNullable<Status['lastDream']>

/** What the last dream came to, with the words it took in. */
export function LastDream({ dream }: { readonly dream: Dream }) {
  const loaded = useOperation('history', { run: dream.run, operation: 'promote', limit: NAMED })
  return (
    <section class="card">
      <div class="card-head wrap">
        <Icon name="dream" />
        <h2>The last dream</h2>
        <span class="end small quiet-text">
          <When at={dream.at} time /> ·{' '}
          <Link class="link" to="journal" query={{ entry: String(dream.operationId) }}>
            what it did
          </Link>
        </span>
      </div>
      <div class="card-body">
        <p class="second">{dreamWords(dream)}</p>
        <Pending loaded={loaded} lines={2}>
          {({ operations }) => (
            <ul class="lines">
              {operations.toReversed().map(({ id, blockIds: [blockId], first }) =>
                blockId === undefined || first === undefined ? null : (
                  <li key={id}>
                    <button type="button" class="line" onClick={() => openBlock(blockId)}>
                      <Words class="main clip" text={first} />
                    </button>
                  </li>
                ),
              )}
            </ul>
          )}
        </Pending>
      </div>
    </section>
  )
}

function dreamWords({ promoted, joined, linked, flagged, archived, pending }: Dream): string {
  const all = [
    `Took in ${plural(promoted, 'block')}`,
    `made ${plural(linked, 'edge')}`,
    ...(joined > 0 ? [`found ${plural(joined, 'block')} known already`] : []),
    ...(flagged > 0 ? [`put ${plural(flagged, 'pair')} before you`] : []),
    ...(archived > 0 ? [`archived ${plural(archived, 'faded block')}`] : []),
    ...(pending > 0 ? [`left ${plural(pending, 'block')} unjudged`] : []),
  ]
  return `${all.slice(0, -1).join(', ')}${all.length > 1 ? ' and ' : ''}${all.at(-1)}.`
}
