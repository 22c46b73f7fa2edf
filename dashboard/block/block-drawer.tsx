import '../styles/said.css'
import './block.css'
import { useState } from 'preact/hooks'
import type { Output } from '../api.ts'
import { change, mayChange, mayErase } from '../change.ts'
import { EraseDialog } from '../erase/erase-dialog.tsx'
import { dates, firstWords } from '../format.ts'
import { useOperation } from '../load.ts'
import { Button } from '../parts/button.tsx'
import { Chip, Id } from '../parts/chip.tsx'
import { Drawer } from '../parts/drawer.tsx'
import { useKeys } from '../parts/keys.ts'
import { Notice, Pending } from '../parts/states.tsx'
import { place, setQuery } from '../router.tsx'
import { CorrectDialog } from './correct-dialog.tsx'
import { Edges } from './edges.tsx'
import { Life } from './life.tsx'
import { ForgetPrincipleDialog, VouchDialog } from './owner-dialogs.tsx'
import { Outcomes, Standing } from './standing.tsx'
import { Around, Grounds } from './surroundings.tsx'
import { BlockWords } from './words.tsx'

/** Everything known about a block, as `show` answers it. */
export type Shown = Output<'show'>

/** Edges that are shown before somebody asks for all. */
const FEW_EDGES = 6
/** Edges that come at once. */
const MOST_EDGES = 500

interface BlockDrawerProps {
  readonly id: string
  readonly isFloating: boolean
}

const close = () => setQuery({ block: undefined, act: undefined, known: undefined })

/** Everything about one block, beside any screen. `known` in the address shows it as it was known then. */
export function BlockDrawer({ id, isFloating }: BlockDrawerProps) {
  const { act, known } = place.value.query
  const [allOf, setAllOf] = useState('')
  const isAll = allOf === id
  const past = known === undefined ? {} : { knownAt: known }
  const loaded = useOperation('show', { blockId: id, edgeLimit: isAll ? MOST_EDGES : FEW_EDGES, ...past })
  // While another block is on its way, the old one is not shown under its name.
  const data = loaded.data?.block.id.startsWith(id) ? loaded.data : undefined
  const mayAct = mayChange.value && known === undefined && data !== undefined
  useKeys({ e: () => mayAct && setQuery({ act: 'correct' }) })
  const endAct = () => setQuery({ act: undefined })
  return (
    <Drawer
      label="Block"
      of={id}
      isFloating={isFloating}
      onClose={close}
      head={
        <>
          <Id id={data?.block.id ?? id} />
          {data && <Status shown={data} />}
        </>
      }
      actions={mayAct && <Actions shown={data} />}
    >
      {known !== undefined && (
        <Notice
          tone="info"
          icon="clock"
          title={`As it was known on ${dates.date(known)}`}
          action={
            <Button size="small" onClick={() => setQuery({ known: undefined })}>
              Back to now
            </Button>
          }
        />
      )}
      <Pending loaded={{ ...loaded, data } as typeof loaded} lines={9}>
        {(shown) => (
          <>
            <BlockWords shown={shown} />
            <Standing shown={shown} mayAct={mayAct} />
            <Outcomes shown={shown} />
            <Grounds shown={shown} />
            <Edges shown={shown} mayAct={mayAct} isAll={isAll} onAll={() => setAllOf(isAll ? '' : id)} />
            <Around key={`around-${id}`} shown={shown} />
            <Life key={`life-${id}`} shown={shown} mayAct={mayAct} />
          </>
        )}
      </Pending>
      {mayAct && act === 'correct' && <CorrectDialog key={id} block={data.block} onClose={endAct} />}
      {mayAct && act === 'vouch' && <VouchDialog block={data.block} onClose={endAct} />}
      {mayAct && act === 'forget' && <ForgetPrincipleDialog block={data.block} onClose={endAct} />}
      {mayErase.value && act === 'erase' && data && (
        <EraseDialog key={id} blockId={data.block.id} onClose={endAct} onErased={close} />
      )}
    </Drawer>
  )
}

const ARCHIVED = { decayed: 'faded', superseded: 'replaced', forgotten: 'forgotten' } as const

function Status({ shown: { block } }: { readonly shown: Shown }) {
  if (block.status === 'active') return <Chip tone="good">active</Chip>
  if (block.status === 'inbox') return <Chip tone="info">waits for a dream</Chip>
  return <Chip>{`archived${block.archiveReason ? `: ${ARCHIVED[block.archiveReason]}` : ''}`}</Chip>
}

function Actions({ shown: { block } }: { readonly shown: Shown }) {
  const { id: blockId, status, tags } = block
  const name = firstWords(block.content)
  if (status === 'archived')
    return (
      <Button
        size="small"
        icon="undo"
        onClick={() =>
          void change(
            'restore',
            { blockId },
            { said: 'It is back, with its tags and edges.', again: `Restore ${name}` },
          )
        }
      >
        Restore
      </Button>
    )
  const forget = () =>
    tags.includes('self/constitutional')
      ? setQuery({ act: 'forget' })
      : void change(
          'forget',
          { blockId, reason: 'forgotten in the dashboard' },
          { said: 'Forgotten. It is archived, and restore brings it back.', again: `Forget ${name}` },
        )
  return (
    <>
      <Button size="small" icon="edit" onClick={() => setQuery({ act: 'correct' })}>
        Correct
      </Button>
      <Button size="small" icon="archive" tone="bad" onClick={forget}>
        Forget
      </Button>
    </>
  )
}
