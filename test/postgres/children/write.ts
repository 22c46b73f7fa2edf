/** Writes two rows at a time into a memory until it is killed, and says of each write whether it was kept. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openServer } from '../../../src/postgres/server.ts'
import { meta } from '../../../src/store/tables.ts'
import { scratch } from '../served.ts'

const [url = '', name = '', writer = ''] = process.argv.slice(2)
const server = await openServer(url, { scratch, connections: 2 })
const memory = await server.memory(name)

for (let count = 0; ; count++) {
  const key = `${writer}-${count}`
  try {
    await memory.write(async (rows) => {
      await rows.put(meta, [{ key: `one-${key}`, value: 'x' }])
      await rows.put(meta, [{ key: `two-${key}`, value: 'x' }])
    }, {})
    process.stdout.write(`kept one-${key}\n`)
  } catch {
    process.stdout.write(`failed one-${key}\n`)
    await sleep(20)
  }
}
