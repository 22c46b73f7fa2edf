import { useState } from 'preact/hooks'
import { type Answer, call } from '../../api.ts'
import { number, relationColour, relationWords, speakerWords } from '../../format.ts'
import { useLoad } from '../../load.ts'
import { Segmented } from '../../parts/button.tsx'
import { Words } from '../../parts/chip.tsx'
import { setQuery } from '../../router.tsx'
import { Groups } from './groups.tsx'
import { SPEAKERS } from './scenes/look.ts'
import { find, type Picture, relationCounts } from './scenes/picture.ts'
import { type MapState, withoutQuery } from './state.ts'
import type { OnMap } from './use-scene.ts'

/** Blocks named while one looks for words. */
const FOUND = 7

interface PanelProps {
  readonly picture: Picture
  readonly onMap: OnMap
  readonly groups: Int32Array | undefined
  readonly state: MapState
  readonly onBlock: (block: number) => void
}

/** What is shown: find, colours, relations with their numbers, the least weight, groups. */
export function Panel({ picture, onMap, groups, state, onBlock }: PanelProps) {
  const { by, without, least, lone, group } = state
  return (
    <>
      <Find picture={picture} onBlock={onBlock} />
      <div class="column">
        <h3>Colour by</h3>
        <Segmented
          label="Colour by"
          value={by}
          options={[
            ['group', 'Group'],
            ['speaker', 'Speaker'],
            ['belief', 'Confidence'],
          ]}
          onChange={(value) => setQuery({ by: value === 'group' ? undefined : value })}
        />
        <Legend by={by} picture={picture} />
      </div>
      <Relations picture={picture} without={without} />
      <label class="column small second">
        Weight at least {(least / 100).toFixed(2)}
        <input
          type="range"
          min={0}
          max={95}
          step={5}
          value={least}
          onInput={({ currentTarget: { value } }) => setQuery({ least: value === '0' ? undefined : value })}
        />
      </label>
      <label class="map-check">
        <input type="checkbox" checked={lone} onChange={() => setQuery({ lone: lone ? undefined : '1' })} />
        Blocks without edges
      </label>
      {groups !== undefined && onMap.names.length > 0 && (
        <Groups
          names={onMap.names}
          chosen={group}
          {...{ groups, picture, onBlock }}
          onGroup={(next) => setQuery({ group: next === undefined ? undefined : String(next) }, 'push')}
        />
      )}
    </>
  )
}

function Find({ picture, onBlock }: Pick<PanelProps, 'picture' | 'onBlock'>) {
  const [words, setWords] = useState('')
  const asked = words.trim()
  // The map has the beginning of each text; the memory knows all of it.
  const deeper = useLoad((signal) => findInMemory(asked, signal), [asked]).data ?? []
  const places = deeper.map((id) => picture.ids.indexOf(id)).filter((block) => block >= 0)
  const found = [...new Set([...find(picture, words, FOUND), ...places])].slice(0, FOUND)
  return (
    <div class="column">
      <input
        type="search"
        class="field"
        placeholder="Find a block in the graph"
        aria-label="Find a block in the graph"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && found[0] !== undefined) onBlock(found[0])
        }}
      />
      {asked.length > 1 && (
        <ul aria-label="Found" aria-live="polite">
          {found.map((block) => (
            <li key={block}>
              <button type="button" class="map-block" onClick={() => onBlock(block)}>
                <Words class="clip grow" text={picture.texts[block] ?? ''} />
              </button>
            </li>
          ))}
          {found.length === 0 && <li class="quiet-text small">No block on the map has these words.</li>}
        </ul>
      )}
    </div>
  )
}

async function findInMemory(words: string, signal: AbortSignal): Promise<Answer<readonly string[]>> {
  if (words.length < 2) return { ok: true, value: [] }
  const found = await call('ls', { words: words.slice(0, 200), limit: FOUND, sort: 'joined' }, { signal })
  return found.ok ? { ok: true, value: found.value.blocks.map(({ id }) => id) } : { ok: true, value: [] }
}

function Relations({
  picture,
  without,
}: {
  readonly picture: Picture
  readonly without: ReadonlySet<string>
}) {
  const toggle = (relation: string) => {
    const next = new Set(without)
    if (!next.delete(relation)) next.add(relation)
    setQuery({ without: withoutQuery(next) })
  }
  return (
    <fieldset class="map-relations">
      <legend>
        <h3>Relations</h3>
      </legend>
      {relationCounts(picture).map(([relation, count]) => (
        <label class="map-check" key={relation}>
          <input type="checkbox" checked={!without.has(relation)} onChange={() => toggle(relation)} />
          <i class="map-stroke" style={{ background: relationColour(relation) }} />
          <Words text={relationWords(relation)} />
          <span class="quiet-text small number end">{number(count)}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** What the colours mean, where no list beside says it. */
function Legend({ by, picture }: { readonly by: MapState['by']; readonly picture: Picture }) {
  if (by === 'group') return null
  const rows: readonly (readonly [string, string])[] =
    by === 'belief'
      ? [
          ['var(--data-1)', 'confirmed'],
          ['var(--line2)', 'even'],
          ['var(--data-5)', 'doubted'],
        ]
      : [...new Set(picture.speakers)].map((speaker) => [
          `var(--data-${(SPEAKERS[speaker] ?? 5) + 1})`,
          speakerWords(speaker),
        ])
  return (
    <ul class="map-legend small">
      {rows.map(([colour, words]) => (
        <li key={words}>
          <i class="swatch round" style={{ background: colour }} />
          {words}
        </li>
      ))}
    </ul>
  )
}
