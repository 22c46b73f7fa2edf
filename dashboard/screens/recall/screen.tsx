import { Empty } from '../../parts/states.tsx'

/** The screen of recall. */
export function Screen() {
  return (
    <Empty icon="spark" title="This screen is not here yet">
      Everything it will do, the command line does.
    </Empty>
  )
}
