import { Id } from '../parts/chip.tsx'
import { Drawer } from '../parts/drawer.tsx'
import { Skeleton } from '../parts/states.tsx'
import { setQuery } from '../router.tsx'

interface BlockDrawerProps {
  readonly id: string
  readonly isFloating: boolean
}

/** Everything about one block, beside any screen. */
export function BlockDrawer({ id, isFloating }: BlockDrawerProps) {
  return (
    <Drawer
      label="Block"
      of={id}
      isFloating={isFloating}
      head={<Id id={id} />}
      onClose={() => setQuery({ block: undefined })}
    >
      <Skeleton lines={9} />
    </Drawer>
  )
}
