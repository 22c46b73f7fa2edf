import { expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { DERIVED } from '../../src/store/derived.ts'
import { createStore } from '../../src/store/store.ts'
import { TABLES } from '../../src/store/tables.ts'
import { lived } from '../story/transfer/lived-memory.ts'
import { describeServed } from './describe.ts'
import { rowsOf } from './twin.ts'

describeServed('two memories of one database', (served) => {
  const openBoth = async () => {
    const [one, other] = [await served().server.memory('one'), await served().server.memory('other')]
    if ((await rowsOf(one)).blocks?.length === 0) await lived({ store: createStore(one) })
    return { one, other }
  }

  /** Runs statements in one transaction for a memory, as a fault in a statement of ours might. */
  const raw = async (statements: readonly string[]) => {
    const client = await served().server.pool.connect()
    try {
      await client.query('BEGIN; SET LOCAL search_path = elfmem')
      const answers = []
      for (const each of statements) answers.push(await client.query(each))
      await client.query('COMMIT')
      return answers
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }
  const numberOf = async (name: string) => {
    const [, answer] = await raw([
      `SELECT set_config('elfmem.name', '${name}', true)`,
      'SELECT memory FROM memories',
    ])
    expect(answer?.rowCount).toBe(1)
    return Number(answer?.rows[0]?.memory)
  }

  test('no statement runs without a memory, in any table', async () => {
    for (const { name } of [...TABLES, ...DERIVED])
      for (const text of [`SELECT * FROM ${name}`, `DELETE FROM ${name}`, `UPDATE ${name} SET memory = 1`])
        await expect(raw([text])).rejects.toThrow()
    const [memories] = await raw(['SELECT * FROM memories'])
    expect(memories?.rowCount).toBe(0)
  })

  test('no statement of one sees or changes a row of the other', async () => {
    const { one, other } = await openBoth()
    const [mine, theirs] = [await numberOf('other'), await numberOf('one')]
    const as = `SET LOCAL elfmem.memory = ${mine}`
    const before = await rowsOf(one)
    expect(before.blocks?.length).toBeGreaterThan(0)
    for (const { name } of [...TABLES, ...DERIVED]) {
      const [, all, byNumber, changed, removed] = await raw([
        as,
        `SELECT * FROM ${name} WHERE memory <> ${mine}`,
        `SELECT * FROM ${name} WHERE memory = ${theirs}`,
        `UPDATE ${name} SET memory = ${mine} WHERE memory = ${theirs}`,
        `DELETE FROM ${name} WHERE memory = ${theirs}`,
      ])
      expect([all, byNumber, changed, removed].map((each) => each?.rowCount)).toEqual([0, 0, 0, 0])
    }
    await expect(
      raw([as, `INSERT INTO meta (memory, key, value) VALUES (${theirs}, 'k', 'v')`]),
    ).rejects.toThrow()
    await expect(raw([as, `UPDATE meta SET memory = ${theirs}`])).rejects.toThrow()
    const [, memories] = await raw([as, 'UPDATE memories SET version = version + 1'])
    expect(memories?.rowCount).toBe(1)
    expect(await rowsOf(one)).toEqual(before)
    expect((await rowsOf(other)).blocks).toEqual([])
  })

  test('a value that no elfmem writes is found in its own memory alone', async () => {
    const { one, other } = await openBoth()
    const as = `SET LOCAL elfmem.memory = ${await numberOf('one')}`
    await raw([as, "UPDATE blocks SET occurred_at = 'yesterday' WHERE arrival = 1"])
    await raw([as, `UPDATE blocks SET tags = '["a", 1]' WHERE arrival = 2`])
    const findingsOf = (database: Database) => createStore(database).read((tx) => tx.queries.rowFindings())
    expect(await findingsOf(one)).toMatchObject({ wrongValues: { blocks: 2 } })
    expect(await findingsOf(other)).toEqual({ orphans: {}, wrongValues: {} })
  })

  test('the setting of a transaction does not outlive it', async () => {
    const { one } = await openBoth()
    await one.read((rows) => rows.count(TABLES[0] as (typeof TABLES)[number]))
    const client = await served().server.pool.connect()
    await expect(client.query('SELECT * FROM elfmem.blocks')).rejects.toThrow()
    client.release()
  })
})
