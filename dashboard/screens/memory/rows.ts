import { useEffect, useRef, useState } from 'preact/hooks'
import { CANCELLED, call, type Failure, type Output } from '../../api.ts'
import { changes } from '../../live.ts'
import type { Filters } from './asked.ts'

/** A block of the list. */
export type Row = Output<'ls'>['blocks'][number]

/** Rows asked for at once. */
const PAGE = 100

interface Page {
  readonly rows: readonly Row[]
  /** The change of the memory it is from. */
  readonly as: number
}

/** All pages of one list that were seen. */
interface Book {
  readonly key: string
  readonly pages: Map<number, Page>
  readonly asked: Map<number, AbortController>
  total: number | undefined
  failure: Failure | undefined
}

/** A long list, of which pages are loaded where somebody looks. */
export interface Rows {
  readonly key: string
  /** Undefined until the first page is there. */
  readonly total: number | undefined
  readonly failure: Failure | undefined
  readonly at: (index: number) => Row | undefined
  readonly indexOf: (id: string) => number
  /** Loads what of these is not there, or is from before the last change. */
  readonly want: (first: number, last: number) => void
  readonly again: () => void
}

/** The rows that fit the filters. What was loaded stays while newer rows are on their way. */
export function useRows(filters: Filters): Rows {
  const key = JSON.stringify(filters)
  const [, setCount] = useState(0)
  const draw = () => setCount((count) => count + 1)
  const book = useRef<Book>(newBook(key))
  if (book.current.key !== key) book.current = newBook(key)
  const { current } = book
  const as = changes.value
  const load = (page: number) =>
    void loadPage({ current, filters, page, draw: () => current === book.current && draw() })
  const want = (first: number, last: number) => {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page++)
      if (!current.asked.has(page) && current.pages.get(page)?.as !== as) load(page)
  }
  useEffect(() => {
    want(0, 1)
    return () => {
      for (const running of current.asked.values()) running.abort()
    }
  }, [key])
  return {
    key,
    total: current.total,
    failure: current.failure,
    at: (index) => current.pages.get(Math.floor(index / PAGE))?.rows[index % PAGE],
    indexOf: (id) => indexIn(current, id),
    want,
    again: () => {
      current.failure = undefined
      load(0)
    },
  }
}

function newBook(key: string): Book {
  return { key, pages: new Map(), asked: new Map(), total: undefined, failure: undefined }
}

interface Asking {
  readonly current: Book
  readonly filters: Filters
  readonly page: number
  readonly draw: () => void
}

async function loadPage({ current, filters, page, draw }: Asking): Promise<void> {
  if (current.failure !== undefined) return
  const running = new AbortController()
  const as = changes.value
  current.asked.set(page, running)
  const place = { offset: page * PAGE, limit: PAGE, count: true, details: true }
  const answer = await call('ls', { ...filters, ...place }, { signal: running.signal })
  current.asked.delete(page)
  if (answer.ok) {
    current.pages.set(page, { rows: answer.value.blocks, as })
    current.total = answer.value.total ?? answer.value.blocks.length
  } else if (answer.failure.code !== CANCELLED) current.failure = answer.failure
  draw()
}

function indexIn({ pages }: Book, id: string): number {
  for (const [page, { rows }] of pages) {
    const at = rows.findIndex((row) => row.id === id)
    if (at >= 0) return page * PAGE + at
  }
  return -1
}
