import { useState } from 'preact/hooks'
import { number, plural } from '../../format.ts'
import type { Group } from '../../graph/scene.ts'
import { Button } from '../../parts/button.tsx'
import { Words } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { groupSwatch } from './scenes/look.ts'
import type { Picture } from './scenes/picture.ts'

/** Groups listed at first, and blocks named of an open one. */
const LISTED = 8
const BEST = 6

interface GroupsProps {
  readonly names: readonly Group[]
  readonly groups: Int32Array
  readonly picture: Picture
  /** The group that is shown alone. */
  readonly chosen: number | undefined
  readonly onGroup: (group: number | undefined) => void
  readonly onBlock: (block: number) => void
}

/** The groups of the map as a list, each with its best joined blocks: the map for keyboards and screen readers. */
export function Groups({ names, groups, picture, chosen, onGroup, onBlock }: GroupsProps) {
  const [most, setMost] = useState(LISTED)
  const [open, setOpen] = useState<number>()
  const large = names.filter(({ size }) => size > 1)
  return (
    <section class="column" aria-label="Groups">
      <h3>{plural(large.length, 'group')}</h3>
      <ul class="map-groups">
        {large.slice(0, most).map(({ group, name, size }) => (
          <li key={group}>
            <div class="map-group">
              <Button
                tone="quiet"
                size="small"
                icon={open === group ? 'down' : 'right'}
                label={`Best joined blocks of ${name}`}
                aria-expanded={open === group}
                onClick={() => setOpen(open === group ? undefined : group)}
              />
              <button
                type="button"
                class="map-group-name"
                aria-pressed={chosen === group}
                onClick={() => onGroup(chosen === group ? undefined : group)}
              >
                <i class="swatch round" style={{ background: groupSwatch(group) }} />
                <Words class="clip grow" text={name} />
                <span class="quiet-text small number">{number(size)}</span>
              </button>
            </div>
            {open === group && (
              <ul class="map-best">
                {bestOf(picture, groups, group).map((block) => (
                  <li key={block}>
                    <button type="button" class="map-block" onClick={() => onBlock(block)}>
                      <Words class="clip grow" text={picture.texts[block] ?? ''} />
                      <span class="quiet-text small number">
                        {number(picture.degrees[block] ?? 0)}
                        <span class="unseen"> edges</span>
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {large.length > most && (
        <button type="button" class="link small" onClick={() => setMost(most + 40)}>
          <Icon name="down" size={12} /> {plural(large.length - most, 'smaller group')}
        </button>
      )}
    </section>
  )
}

function bestOf({ degrees }: Picture, groups: Int32Array, group: number): readonly number[] {
  const own = [...groups.keys()].filter((block) => groups[block] === group)
  return own.sort((p, q) => (degrees[q] ?? 0) - (degrees[p] ?? 0)).slice(0, BEST)
}
