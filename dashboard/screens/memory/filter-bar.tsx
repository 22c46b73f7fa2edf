import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../address.ts'
import type { Output } from '../../api.ts'
import { mayErase } from '../../change.ts'
import { number, speakerWords } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { Button, Select } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { ORDERS, STATUSES, TIERS, WHICH } from './asked.ts'

/** Milliseconds after the last key until the list is asked. */
const TYPING = 220
/** Values of each filter. */
const VALUES = 100

/** Words, status, speaker, tag, tier and order of the list; on a phone most of them are behind Filter. */
export function FilterBar({ query }: { readonly query: Query }) {
  const [isOpen, setOpen] = useState(false)
  const facets = useOperation('facets', { status: statusOf(query), limit: VALUES }).data
  return (
    <div class="tools">
      <WordsField words={query.words ?? ''} />
      <Select
        label="Status"
        value={query.status ?? 'active'}
        options={STATUSES}
        onChange={(status) => setQuery({ status: status === 'active' ? undefined : status })}
      />
      <span class="only-narrow">
        <Button icon="filter" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filter
        </Button>
      </span>
      <div class={isOpen ? 'row wrap memory-filters' : 'row wrap memory-filters only-wide'}>
        <Select
          label="Who speaks"
          value={query.by ?? ''}
          options={optionsOf('anyone', facets?.sourceClass, speakerWords)}
          onChange={(by) => setQuery({ by })}
        />
        <Select
          label="Tag"
          value={query.tag ?? ''}
          options={optionsOf('any tag', facets?.tag)}
          onChange={(tag) => setQuery({ tag })}
        />
        <Select
          label="How it fades"
          value={query.tier ?? ''}
          options={[['', 'any tier'], ...TIERS.map((tier) => [tier, tier] as const)]}
          onChange={(tier) => setQuery({ tier })}
        />
        <Select
          label="Which"
          value={query.which ?? ''}
          options={WHICH}
          onChange={(which) => setQuery({ which })}
        />
      </div>
      <span class="grow memory-gap" />
      <Select
        label="Order"
        value={query.sort ?? 'used'}
        options={ORDERS}
        onChange={(sort) => setQuery({ sort: sort === 'used' ? undefined : sort })}
      />
      {mayErase.value && (
        <Button
          tone="quiet"
          icon="erase"
          label="Erase words for ever…"
          onClick={() => setQuery({ act: 'erase', block: undefined }, 'push')}
        />
      )}
    </div>
  )
}

function statusOf({ status }: Query): 'active' | 'inbox' | 'archived' {
  return STATUSES.find(([key]) => key === status)?.[0] ?? 'active'
}

type Facet = Output<'facets'>['tag']

function optionsOf(
  all: string,
  facet: Facet | undefined,
  words = shown,
): readonly (readonly [string, string])[] {
  const values = facet?.values ?? []
  return [
    ['', all],
    ...values.map(({ value, blocks }) => [value, `${words(value)} (${number(blocks)})`] as const),
  ]
}

function WordsField({ words }: { readonly words: string }) {
  const [text, setText] = useState(words)
  useEffect(() => setText(words), [words])
  useEffect(() => {
    if (text === words) return
    const timer = setTimeout(() => setQuery({ words: text }), TYPING)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label class="search">
      <Icon name="search" />
      <span class="unseen">Filter by words</span>
      <input
        type="search"
        placeholder="Filter by words"
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}
