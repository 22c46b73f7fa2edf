/// <reference path="./forceatlas2.d.ts" />
import iterate from 'graphology-layout-forceatlas2/iterate.js'
import { partsIn, placeRest } from './first-places.ts'
import type { Edges } from './start.ts'

/** Columns of the package's matrices. */
const NODE = { width: 10, mass: 6, convergence: 7, size: 8, fixed: 9 }
const EDGE_WIDTH = 3
/** An edge inside a group draws so many times as hard, which sets groups apart that would lie in one ball. */
const GROUP_PULL = 3
/** From so many nodes forces of far ones are taken together (Barnes-Hut), which is quicker from there. */
const FAR_TOGETHER = 800
/** Steps until the eye sees no more change: measured at 5,000 and 20,000 blocks. */
const STEPS = { few: 160, many: 80, manyFrom: 8_000 }
/** Steps in which new blocks find their place among those that stay. */
const STEPS_OF_NEW = 60

/** The start of a layout and what may move in it. */
export interface Start {
  readonly places: Float32Array
  readonly moves: Uint8Array
  readonly groups?: Int32Array
}

/** Yields the places as they settle, every `every` steps, and last where they stay. Steps are counted, so it ends alike everywhere. */
export function* settle(edges: Edges, { places, moves, groups }: Start, every = 20): Generator<Float32Array> {
  const { count } = edges
  const moving = moves.reduce((sum, each) => sum + each, 0)
  const whole = count > STEPS.manyFrom ? STEPS.many : STEPS.few
  const steps = moving === 0 ? 0 : moving === count ? whole : STEPS_OF_NEW
  // Forces would drive parts that nothing joins ever farther apart: all but the largest are put round it.
  const parts = moving === count ? partsIn(edges) : undefined
  const nodes = nodeMatrix(
    places,
    parts ? moves.map((_, i) => Number(parts.part[i] === parts.largest)) : moves,
  )
  const result = () => {
    const found = placesOf(nodes)
    if (parts !== undefined) placeRest(parts, found)
    return found
  }
  const matrix = edgeMatrix(edges, nodes, groups)
  const settings = {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 1,
    scalingRatio: 12,
    strongGravityMode: false,
    gravity: 0.6,
    slowDown: 2 + Math.log(count + 1),
    barnesHutOptimize: count > FAR_TOGETHER,
    // Coarser than the package's 0.5: a third of the time, and the same picture to the eye.
    barnesHutTheta: 1.1,
  }
  for (let step = 1; step <= steps; step++) {
    iterate(settings, nodes, matrix)
    if (step % every === 0 && step < steps) yield result()
  }
  yield result()
}

function nodeMatrix(places: Float32Array, moves: Uint8Array): Float32Array {
  const nodes = new Float32Array(moves.length * NODE.width)
  for (let i = 0; i < moves.length; i++) {
    const at = i * NODE.width
    nodes[at] = places[2 * i] ?? 0
    nodes[at + 1] = places[2 * i + 1] ?? 0
    nodes[at + NODE.mass] = 1
    nodes[at + NODE.convergence] = 1
    nodes[at + NODE.size] = 1
    nodes[at + NODE.fixed] = moves[i] ? 0 : 1
  }
  return nodes
}

/** The edges, whose weights also make their ends heavy. */
function edgeMatrix({ a, b, weight }: Edges, nodes: Float32Array, groups?: Int32Array): Float32Array {
  const matrix = new Float32Array(a.length * EDGE_WIDTH)
  for (let k = 0; k < a.length; k++) {
    const [p, q, w] = [a[k] ?? 0, b[k] ?? 0, weight[k] ?? 0]
    const pull = groups !== undefined && groups[p] === groups[q] ? GROUP_PULL : 1
    matrix.set([p * NODE.width, q * NODE.width, w * pull], k * EDGE_WIDTH)
    for (const end of [p, q]) {
      const at = end * NODE.width + NODE.mass
      nodes[at] = (nodes[at] ?? 0) + w
    }
  }
  return matrix
}

function placesOf(nodes: Float32Array): Float32Array {
  const places = new Float32Array((nodes.length / NODE.width) * 2)
  for (let i = 0; i < places.length / 2; i++) {
    places[2 * i] = nodes[i * NODE.width] ?? 0
    places[2 * i + 1] = nodes[i * NODE.width + 1] ?? 0
  }
  return places
}
