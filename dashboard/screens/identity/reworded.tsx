import { Changed } from '../../block/changed.tsx'
import { useOperation } from '../../load.ts'
import { When } from '../../parts/chip.tsx'
import { Pending } from '../../parts/states.tsx'

/** Accepted proposals that are read; the newest come last. */
const READ = 100

/** The proposed words that the owner accepted, with the words before them. */
export function Reworded() {
  const loaded = useOperation('decisions', { kind: 'proposal', state: 'accepted', limit: READ })
  return (
    <Pending loaded={loaded} lines={2}>
      {({ decisions }) => {
        const reworded = decisions.filter(({ change }) => change?.field === 'content' && change.before)
        return (
          reworded.length > 0 && (
            <section class="card">
              <div class="card-head">
                <h2>Reworded</h2>
              </div>
              <ul class="card-body lines">
                {reworded.toReversed().map(({ id, at, change }) => (
                  <li key={id}>
                    {at && (
                      <span class="small quiet-text">
                        <When at={at} />
                      </span>
                    )}
                    <Changed before={change?.before ?? ''} after={change?.after ?? ''} />
                  </li>
                ))}
              </ul>
            </section>
          )
        )
      }}
    </Pending>
  )
}
