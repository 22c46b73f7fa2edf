import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { change, mayChange } from '../../change.ts'
import { Button } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'

/** The command that connects Claude Code, and what other clients want in their file. */
const CONNECT = 'npx elfmem init --client claude-code'
const SERVE =
  '{ "mcpServers": { "elfmem":\n  { "command": "npx",\n    "args": ["-y", "elfmem", "serve"] } } }'

/** Nothing is remembered yet: three ways to begin. */
export function FirstRun() {
  return (
    <section class="card first-run">
      <div class="empty">
        <Icon name="spark" size={40} />
        <h1>Nothing is remembered yet</h1>
        <div>Three ways to begin:</div>
      </div>
      <div class="grid first-run-ways">
        <Way
          icon="incoming"
          title="Remember something"
          text="A fact, a decision and its reason, a preference."
        >
          <Typed
            label="What is worth keeping"
            button="Remember it"
            onDone={async (content) => {
              const said = 'Remembered. Recall finds it at once.'
              return (await change('remember', { content, sourceClass: 'user' }, { said })).ok
            }}
          />
        </Way>
        <Way
          icon="peer"
          title="Connect an agent"
          text="Claude Code by a command, others by their file of MCP servers."
        >
          <Snippet text={CONNECT} />
          <Snippet text={SERVE} />
        </Way>
        <Way
          icon="person"
          title="Say who the agent is"
          text="An identity stands at the start of every session."
        >
          <Typed
            label="Who it is, in one or two sentences"
            button="Make it the identity"
            onDone={async (identity) => {
              const said = 'It is the identity from now on.'
              return (await change('setup', { identity }, { said })).ok
            }}
          />
        </Way>
      </div>
    </section>
  )
}

interface WayProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children: ComponentChildren
}

function Way({ icon, title, text, children }: WayProps) {
  return (
    <div class="span-4 column">
      <span class="badge accent">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p class="second small">{text}</p>
      {children}
    </div>
  )
}

interface TypedProps {
  readonly label: string
  readonly button: string
  /** Returns true if it was done; else what was typed stays. */
  readonly onDone: (text: string) => Promise<boolean>
}

function Typed({ label, button, onDone }: TypedProps) {
  const [text, setText] = useState('')
  if (!mayChange.value) return <p class="quiet-text small">This dashboard only looks.</p>
  const done = async () => {
    if (await onDone(text.trim())) setText('')
  }
  return (
    <>
      <textarea
        class="field"
        dir="auto"
        rows={3}
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div>
        <Button disabled={text.trim() === ''} onClick={() => void done()}>
          {button}
        </Button>
      </div>
    </>
  )
}

function Snippet({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    )
  return (
    <>
      <pre class="frame">{text}</pre>
      <div>
        <Button icon="copy" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </>
  )
}
