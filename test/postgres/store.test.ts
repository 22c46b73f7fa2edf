import { storeSuite } from '../store/suite.ts'
import { describeServed } from './describe.ts'

describeServed('over a real server', (served) =>
  storeSuite('a PostgreSQL database', {
    open: (memory) => served().server.memory(memory),
    cleanup: async () => undefined,
  }),
)
