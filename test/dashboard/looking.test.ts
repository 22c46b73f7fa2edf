import { expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { isLook, isServed } from '../../src/surfaces/dashboard/served.ts'
import { fileRows } from '../helpers/file-rows.ts'
import { CALLS, livedMemory } from './helpers/lived.ts'
import { send, serve, stream } from './helpers/served.ts'

test.each([false, true])(
  'calls of every operation that looks change no row of the memory (read only: %s)',
  async (readOnly) => {
    const { path, clock, ids, waiting } = await livedMemory()
    const before = fileRows(path)
    const page = await serve({ path, clock, readOnly })
    const events = await stream(page)
    await events.until(({ event }) => event === 'hello')
    await send(page.port, '/memory')
    for (const operation of operations.filter((each) => isServed(each) && isLook(each))) {
      const { status } = await page.operation(operation.name, CALLS[operation.name]!({ ids, waiting }))
      expect([operation.name, status]).toEqual([operation.name, 200])
      expect(fileRows(path), operation.name).toEqual(before)
    }
    await page.view('settings')
    await page.view('place')
    await page.operation('undo', { dryRun: true })
    await page.operation('erase', { blockIds: [waiting] })
    expect(fileRows(path)).toEqual(before)
    await page.dashboard.close()
    expect(fileRows(path)).toEqual(before)
  },
)
