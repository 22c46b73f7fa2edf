/** What may be spent on something: wanted, and where the bench fails. */
interface Budget {
  readonly what: string
  readonly unit: 'kB' | 'ms'
  readonly wanted: number
  readonly most: number
}

/**
 * Times are processor time of the browser's and the server's processes. Counted is from the address, or the
 * click, to the frame after all is there. Not counted are the start of the browser, which works on for half a second in processes that
 * no page is in, and what the command loads in the background after its link: the bench waits until both rest. The command is the
 * built one. Link and Overview are the median of five, each with a command and a page that know nothing of those before.
 */
export const BUDGETS = {
  bundle: { what: 'the page, all of it, gzip', unit: 'kB', wanted: 100, most: 150 },
  firstScreen: { what: 'of which the first screen', unit: 'kB', wanted: 60, most: 100 },
  listening: { what: 'command to its link, 5,000 blocks', unit: 'ms', wanted: 400, most: 1_000 },
  overview5: { what: 'Overview complete, 5,000 blocks', unit: 'ms', wanted: 500, most: 2_000 },
  overview20: { what: 'Overview complete, 20,000 blocks', unit: 'ms', wanted: 800, most: 2_000 },
  graphBytes: { what: 'graph data, 5,000 blocks and 10,000 edges, gzip', unit: 'kB', wanted: 200, most: 400 },
  graphData: { what: 'graph data, 5,000 and 10,000, the server', unit: 'ms', wanted: 150, most: 500 },
  first5: { what: 'first picture, 5,000 and 10,000', unit: 'ms', wanted: 600, most: 2_000 },
  settled5: { what: 'settled, 5,000 and 10,000', unit: 'ms', wanted: 5_000, most: 10_000 },
  drag5: { what: 'frame of a drag, 5,000 and 10,000', unit: 'ms', wanted: 17, most: 33 },
  settled20: { what: 'settled, 20,000 and 58,000', unit: 'ms', wanted: 15_000, most: 30_000 },
  drag20: { what: 'frame of a drag, each of 20,000 blocks drawn', unit: 'ms', wanted: 33, most: 50 },
} as const satisfies Readonly<Record<string, Budget>>

/** The name of something that has a budget. */
export type Measured = keyof typeof BUDGETS

/** What was measured, by name. */
export type Measures = Readonly<Partial<Record<Measured, number>>>

/** The verdict on a measure. */
export function verdictOf(name: Measured, value: number): 'within' | 'over' | 'failed' {
  const { wanted, most }: Budget = BUDGETS[name]
  if (value > most) return 'failed'
  return value > wanted ? 'over' : 'within'
}
