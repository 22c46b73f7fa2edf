import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { build } from '../graph-speed/build.ts'
import { createWorld } from '../graph-speed/world.ts'
import type { Bench } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { median } from '../lib/statistics.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { findChromium, openBrowser } from './browser.ts'
import { BUDGETS, type Measured, type Measures, verdictOf } from './budgets.ts'
import { measureGraphData, measureMap, measureOverview, type Opened } from './measure-page.ts'
import { serve } from './served.ts'

const BUILT = new URL('../../dist/dashboard/', import.meta.url)
const SIZES = {
  small: { blocks: 5_000, edges: 10_000 },
  large: { blocks: 20_000, edges: 58_000 },
}

/** Each with a command and a page of its own, which know nothing of those before. */
const STARTS = 5

type Log = (line: string) => void

/** The page of the dashboard in a real browser over made memories, against its budgets. */
export const dashboard: Bench = {
  name: 'dashboard',
  summary: 'what the page of the dashboard costs, in a real browser, against its budgets; fails above them',
  flags: {
    quick: { type: 'boolean', description: 'Only the memory of 5,000 blocks' },
  },
  run: async ({ quick }, log) => {
    const chromium = findChromium()
    if (chromium === undefined) throw new Error('There is no Chromium: set ELFMEM_CHROMIUM to one')
    const measures = await withTemporaryFolder(async (folder) => ({
      ...bundleSizes(),
      ...(await measureSmall(join(folder, 'small.db'), { chromium, log })),
      ...(quick === true ? {} : await measureLarge(join(folder, 'large.db'), { chromium, log })),
    }))
    const failed = namesOf(measures).filter((name) => verdictOf(name, measures[name] ?? 0) === 'failed')
    if (failed.length > 0) process.exitCode = 1
    return { report: textOf(partsOf(measures)), data: measures }
  },
  present: partsOf,
}

interface Wanted {
  readonly chromium: string
  readonly log: Log
}

async function measureSmall(path: string, { chromium, log }: Wanted): Promise<Measures> {
  return withPage(path, { ...SIZES.small, chromium, log }, async (opened, { listening, overview }) => {
    const tell = teller(log)
    const data = tell(await measureGraphData(opened))
    const map = tell(await measureMap(opened))
    return {
      ...{ listening, overview5: overview, ...data },
      ...{ first5: map.first, settled5: map.settled, drag5: map.drag },
    }
  })
}

async function measureLarge(path: string, { chromium, log }: Wanted): Promise<Measures> {
  return withPage(path, { ...SIZES.large, chromium, log }, async (opened, { overview }) => {
    const tell = teller(log)
    const map = tell(await measureMap(opened, '?every=1'))
    return { overview20: overview, settled20: map.settled, drag20: map.drag }
  })
}

/** Says what was measured before the rest is, since a browser may fail half way. */
function teller(log: Log): <T extends object>(measured: T) => T {
  return (measured) => {
    const told = Object.entries(measured).map(([name, value]) => `${name} ${Number(value).toFixed(1)}`)
    log(told.join(', '))
    return measured
  }
}

/** What each start of the command and of the page cost, the median of some. */
interface Starts {
  readonly listening: number
  readonly overview: number
}

async function withPage<T>(
  path: string,
  { chromium, log, blocks, edges }: Wanted & { readonly blocks: number; readonly edges: number },
  work: (opened: Opened, starts: Starts) => Promise<T>,
): Promise<T> {
  log(`making a memory of ${blocks} blocks and ${edges} edges`)
  const store = await openSqliteStore(path)
  // Under the name of the built-in model, so that the command opens the memory as any other.
  await build(store, createWorld(blocks, edges), 'all-MiniLM-L6-v2-int8')
  await store.close()
  // The first start packs the index, as the first of every memory does; those after it are measured.
  let served = await serve(path)
  const browser = await openBrowser(chromium)
  try {
    const starts: Starts[] = []
    let opened: Opened
    do {
      await served.stop()
      served = await serve(path)
      opened = { served, page: await browser.newPage(), pids: [served.pid, browser.pid] }
      const { listening } = served
      starts.push(teller(log)({ listening, overview: await measureOverview(opened) }))
    } while (starts.length < STARTS)
    return await work(opened, {
      listening: median(starts.map(({ listening }) => listening)),
      overview: median(starts.map(({ overview }) => overview)),
    })
  } finally {
    await browser.close()
    await served.stop()
  }
}

/** Sizes of the built page, as the build measures them: all of it, and what its entry loads at once. */
function bundleSizes(): Measures {
  const assets = JSON.parse(readFileSync(new URL('assets.json', BUILT), 'utf8')) as readonly {
    name: string
  }[]
  const size = ({ name }: { name: string }) => gzipSync(readFileSync(new URL(name, BUILT))).length / 1_000
  const sum = (list: readonly { name: string }[]) => list.reduce((total, asset) => total + size(asset), 0)
  const entry = readFileSync(new URL('index.html', BUILT), 'utf8')
  const isFirst = ({ name }: { name: string }) => name === 'index.html' || entry.includes(name)
  return { bundle: sum(assets), firstScreen: sum(assets.filter(isFirst)) }
}

function namesOf(measures: Measures): readonly Measured[] {
  return (Object.keys(BUDGETS) as Measured[]).filter((name) => measures[name] !== undefined)
}

function partsOf(measures: Measures): readonly Part[] {
  const rows = namesOf(measures).map((name) => {
    const { what, unit, wanted, most } = BUDGETS[name]
    const value = measures[name] ?? 0
    const told = value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')
    return [what, `${told} ${unit}`, String(wanted), String(most), verdictOf(name, value)]
  })
  return [
    {
      name: 'budgets',
      title: 'The dashboard, in processor time',
      body: { head: ['what', 'measured', 'wanted', 'fails above', 'verdict'], rows },
    },
  ]
}
