import { change } from '../change.ts'
import { firstWords, number, relationColour, relationWords } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Words } from '../parts/chip.tsx'
import { Link, openBlock } from '../router.tsx'
import { shown as seen } from '../shown.ts'
import type { Shown } from './block-drawer.tsx'

interface EdgesProps {
  readonly shown: Shown
  readonly mayAct: boolean
  readonly isAll: boolean
  readonly onAll: () => void
}

/** What it is joined to, the strongest first, each with its relation and who made it. */
export function Edges({ shown: { block, edges, edgesTotal }, mayAct, isAll, onAll }: EdgesProps) {
  return (
    <section class="column">
      <div class="row between">
        <h2>Joined to</h2>
        <Link class="link small" to="graph" query={{ block: block.id }}>
          See it in the graph
        </Link>
      </div>
      {edges.length === 0 && <p class="quiet-text small">Nothing. It is found by its own words alone.</p>}
      <ul class="lines">
        {edges.map((edge) => (
          <li class="edge" key={edge.other}>
            <span class="small">
              <b class="edge-relation">
                <i class="swatch" style={{ background: relationColour(edge.relation) }} />
                <span>{seen(relationWords(edge.relation))}</span>
              </b>
              <span class="quiet-text edge-origin">{edge.origin.replaceAll('_', ' ')}</span>
            </span>
            <button type="button" class="plain" onClick={() => openBlock(edge.other)}>
              <Words class="clip-2" text={edge.preview} />
              {edge.note && (
                <span class="small quiet-text clip">
                  “<Words text={edge.note} />”
                </span>
              )}
            </button>
            <span class="small number quiet-text" title="How firm it is, 0 to 1">
              {edge.weight.toFixed(2)}
            </span>
            {mayAct && (
              <Button
                tone="quiet"
                size="small"
                icon="close"
                label="Take this edge away"
                onClick={() =>
                  void change(
                    'disconnect',
                    { source: block.id, target: edge.other, reason: 'taken apart in the dashboard' },
                    {
                      said: 'The two are taken apart.',
                      again: `Take the edge to ${firstWords(edge.preview)} away`,
                    },
                  )
                }
              />
            )}
          </li>
        ))}
      </ul>
      {(edgesTotal > edges.length || isAll) && (
        <div>
          <button type="button" class="link small" onClick={onAll}>
            {isAll ? 'Fewer' : `All ${number(edgesTotal)}`}
          </button>
          {isAll && edgesTotal > edges.length && (
            <span class="small quiet-text"> The firmest {number(edges.length)} are here.</span>
          )}
        </div>
      )}
    </section>
  )
}
