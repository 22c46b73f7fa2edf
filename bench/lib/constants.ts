import { FRAMES } from '../../src/engine/frames.ts'
import { GRAPH } from '../../src/graph/edge.ts'
import { RANKING } from '../../src/index/chains.ts'
import { LEARNING } from '../../src/outcome/experience.ts'
import { EDGE_SCORE } from '../../src/outcome/formulas.ts'
import { RECALL } from '../../src/recall/match.ts'

/** The constants of formulas that an ablation may change, by group. */
const CONSTANTS: Readonly<Record<string, object>> = {
  attention: FRAMES.attention,
  edgeScore: EDGE_SCORE,
  graph: GRAPH,
  learning: LEARNING,
  ranking: RANKING,
  recall: RECALL,
}

/** Changed constants, by group and name. Plain data. */
export type Constants = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Runs work while constants of the library have other values; no other work may run in this process meanwhile. */
export async function withConstants<T>(changes: Constants, work: () => Promise<T>): Promise<T> {
  const before = Object.entries(changes).map(([group, values]) => {
    const constants = CONSTANTS[group]
    const unknown = Object.keys(values).find((name) => !constants || !Object.hasOwn(constants, name))
    if (constants === undefined || unknown !== undefined)
      throw new Error(`There is no constant ${group}.${unknown ?? ''}.`)
    const old = { ...constants }
    Object.assign(constants, values)
    return [constants, old] as const
  })
  try {
    return await work()
  } finally {
    for (const [constants, old] of before) Object.assign(constants, old)
  }
}
