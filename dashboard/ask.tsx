import { useState } from 'preact/hooks'
import type { Query } from './address.ts'
import { type Answer, call } from './api.ts'
import { mayErase } from './change.ts'
import { headingWanted } from './heading.ts'
import { useLoad } from './load.ts'
import { Words } from './parts/chip.tsx'
import { Dialog } from './parts/dialog.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { go, setQuery } from './router.tsx'
import { screens } from './screens/table.ts'

/** Blocks named at once. */
const BLOCKS = 7
/** An id begins with at least so many signs, as everywhere. */
const ID = /^[0-9a-f]{4,32}$/

interface Choice {
  readonly key: string
  readonly icon: IconName
  readonly text: string
  readonly run: () => void
}

/** The one search field: screens, blocks by words or id, and a question to recall. */
export function Ask({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const words = text.trim()
  const found = useLoad((signal) => findBlocks(words, signal), [words]).data ?? []
  const choices = choicesFor(words, found)
  const take = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    choice.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((before) => Math.max(0, Math.min(choices.length - 1, before + step)))
    } else if (event.key === 'Enter') take(choices[at])
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class="field"
        data-first
        placeholder="A screen, words of a block, an id, or a question"
        aria-label="A screen, words of a block, an id, or a question"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={choices[at] && `choice-${at}`}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id="choices" role="listbox" aria-label="What it may be">
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={choice.key}
            id={`choice-${index}`}
            class="palette-option"
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => take(choice)}
          >
            <Icon name={choice.icon} />
            <Words class="clip" text={choice.text} />
          </div>
        ))}
      </div>
    </Dialog>
  )
}

interface Found {
  readonly id: string
  readonly content: string
}

function choicesFor(words: string, found: readonly Found[]): readonly Choice[] {
  const asked = words.toLowerCase()
  return [
    ...screens
      .filter(({ name }) => name.toLowerCase().includes(asked))
      .map(({ path, name, icon }) => ({ key: path, icon, text: name, run: () => goToHeading(path) })),
    ...(mayErase.value && 'erase words for ever'.includes(asked)
      ? [
          {
            key: 'erase',
            icon: 'erase' as const,
            text: 'Erase words for ever…',
            run: () => go('memory', { act: 'erase' }),
          },
        ]
      : []),
    ...(words === ''
      ? []
      : [
          {
            key: 'recall',
            icon: 'flask' as const,
            text: `Recall: “${words}”`,
            run: () => goToHeading('recall', { q: words }),
          },
        ]),
    ...found.map(({ id, content }) => ({
      key: id,
      icon: 'list' as const,
      text: content,
      run: () => setQuery({ block: id }, 'push'),
    })),
  ]
}

/** Whoever goes by the keyboard begins at the heading, not at the top of the page. */
function goToHeading(path: string, query: Query = {}): void {
  go(path, query)
  headingWanted.value++
}

async function findBlocks(words: string, signal: AbortSignal): Promise<Answer<readonly Found[]>> {
  if (words.length < 2) return { ok: true, value: [] }
  const one = ID.test(words) ? await call('show', { blockId: words, edgeLimit: 1 }, { signal }) : undefined
  if (one?.ok) return { ok: true, value: [one.value.block] }
  const found = await call('ls', { words: words.slice(0, 200), limit: BLOCKS, sort: 'used' }, { signal })
  return found.ok ? { ok: true, value: found.value.blocks } : { ok: true, value: [] }
}
