import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMemory } from '../../src/engine/memory.ts'
import { moveMemory } from '../../src/engine/move.ts'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import { createStore } from '../../src/store/store.ts'
import { fileRows } from '../helpers/file-rows.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { lived } from '../story/transfer/lived-memory.ts'
import { describeServed } from './describe.ts'
import { rowsOf } from './twin.ts'

describeServed('a moved memory', (served) => {
  const filledFile = async () => {
    const path = join(temporaryFolder(), 'memory.db')
    const store = createStore(await openSqliteDatabase(path))
    await (await lived({ store })).memory.close()
    await store.close()
    return path
  }

  test('is the same in the database and back in a file, with its log and its undo', async () => {
    const path = await filledFile()
    const before = fileRows(path)
    const there = `${served().database.worker}#moved`
    const moved = await moveMemory(path, there)
    expect(fileRows(path)).toEqual(before)
    expect(Object.keys(moved.rows).length).toBeGreaterThan(12)
    expect(moved.to).not.toContain('elfmem_worker')

    const back = join(temporaryFolder(), 'back.db')
    expect((await moveMemory(there, back)).sha256).toBe(moved.sha256)
    const [one, other] = [await openSqliteDatabase(path), await openSqliteDatabase(back)]
    expect(await rowsOf(other)).toEqual(await rowsOf(one))
    await Promise.all([one.close(), other.close()])

    const config = { embeddings: { provider: 'hashing' } } as const
    const memory = await openMemory(there, { config, as: 'owner' })
    const { operations } = await memory.history({ limit: 50 })
    expect(operations.some(({ undoable }) => undoable)).toBe(true)
    await memory.undo({})
    const { blocks } = await memory.recall({ query: 'which kettle is blue', minStrength: 0 })
    expect(blocks.length).toBeGreaterThan(0)
    await memory.close()
  })

  test('goes into an empty memory alone, and from one that is there', async () => {
    const path = await filledFile()
    const there = `${served().database.worker}#taken`
    await moveMemory(path, there)
    const before = await rowsOf(await served().server.memory('taken'))
    expect(await refusal(moveMemory(path, there))).toMatchObject({ code: 'CONFLICT' })
    expect(await rowsOf(await served().server.memory('taken'))).toEqual(before)
    expect(await refusal(moveMemory(path, await filledFile()))).toMatchObject({ code: 'CONFLICT' })
    expect(await refusal(moveMemory(path, path))).toMatchObject({ code: 'INVALID_INPUT' })
    const nobody = `${served().database.worker}#nobody`
    const target = join(temporaryFolder(), 'new.db')
    expect(await refusal(moveMemory(nobody, target))).toMatchObject({ code: 'STORE_MISSING' })
    expect(await refusal(moveMemory(`${path}.not`, target))).toMatchObject({ code: 'STORE_MISSING' })
  })
})
