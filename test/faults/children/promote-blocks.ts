import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { AT, aBlock, anEdge, anIndex, anOperation } from '../../store/harness.ts'

const [path, round] = process.argv.slice(2) as [string, string]

/** Inserts and promotes until it is killed; says an id only after the store acknowledged the write. */
const store = await openSqliteStore(path)
let before: string | undefined
for (let index = 0; ; index += 1) {
  const id = `${round}-${index}`
  const { block } = await store.write((tx) =>
    tx.insertBlock(aBlock(id, { status: 'inbox', tags: ['whole'] })),
  )
  process.stdout.write(`inserted ${id}\n`)
  await store.write(async (tx) => {
    await tx.saveBlocks([{ ...block, status: 'active', successes: 1 }])
    await tx.saveIndex([anIndex(id, { vector: new Float32Array(384).fill(0.5) })])
    if (before !== undefined) await tx.saveEdges([anEdge(before, id)])
    await tx.log(anOperation({ operation: 'dream', blockIds: [id], at: AT, hours: index }))
  })
  process.stdout.write(`promoted ${id}\n`)
  before = id
}
