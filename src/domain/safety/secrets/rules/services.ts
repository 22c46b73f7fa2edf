import { type SecretRule, shaped } from '../rule.ts'

/** The number of the bot's account in base64, which its token begins with. */
const DISCORD_BEGINNINGS = ['m', 'n', 'o'].flatMap((first) =>
  ['d', 't', 'j', 'z'].flatMap((second) =>
    [...'aeimquycgk0123456789'].map((third) => `${first}${second}${third}`),
  ),
)

/** Keys of language models' makers and of services for mail, money, chat and work. */
export const SERVICE_RULES: readonly SecretRule[] = [
  shaped('Anthropic key', /(?<![\w-])sk-ant-[\w-]{24,200}/y),
  shaped('OpenRouter key', /(?<![\w-])sk-or-(?:v1-)?[0-9a-f]{40,80}/y, { keywords: ['sk-or-'] }),
  shaped('OpenAI project key', /(?<![\w-])sk-(?:proj|svcacct|admin|None)-[\w-]{20,220}/y, {
    keywords: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-none-'],
  }),
  // Others than OpenAI use the same form; all of them are keys.
  shaped('OpenAI key', /(?<![\w-])sk-[A-Za-z0-9]{32,100}(?![\w-])/y, { keywords: ['sk-'] }),
  shaped('Hugging Face token', /(?<![A-Za-z0-9])(?:hf_|api_org_)[A-Za-z0-9]{34}(?![A-Za-z0-9])/y, {
    keywords: ['hf_', 'api_org_'],
  }),
  shaped('Groq key', /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,60}(?![A-Za-z0-9])/y),
  shaped('xAI key', /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{60,100}(?![A-Za-z0-9])/y),
  shaped('Perplexity key', /(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{40,64}(?![A-Za-z0-9])/y),
  shaped('Replicate token', /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])/y),
  shaped('Pinecone key', /(?<![A-Za-z0-9])pcsk_\w{40,90}/y),
  shaped('LangSmith key', /(?<![A-Za-z0-9])lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}(?![0-9a-f])/y),
  shaped('Tavily key', /(?<![A-Za-z0-9])tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,64}/y),
  shaped(
    'Mistral key',
    /(?<before>\bmistral[\w.-]{0,24}["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9]{32}(?![A-Za-z0-9])/iy,
    { keywords: ['mistral'] },
  ),
  shaped(
    'Cohere key',
    /(?<before>\b(?:cohere|co)[_.-]?(?:api)?[_.-]?(?:key|token)["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9]{40}(?![A-Za-z0-9])/iy,
    { keywords: ['cohere', 'co_api', 'co-api', 'coapi'] },
  ),
  shaped('Slack token', /(?<![A-Za-z0-9])xox(?:[abeoprs]|e\.xox[bp])-(?:\d-)?[A-Za-z0-9-]{16,260}/y, {
    keywords: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xoxe.xox'],
  }),
  shaped('Slack app token', /(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{16,260}/y),
  shaped(
    'Slack webhook',
    /(?<before>hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9]{6,14}\/[A-Za-z0-9]{6,24}\/[A-Za-z0-9/]{16,80}/y,
    { keywords: ['hooks.slack.com/'] },
  ),
  shaped('Discord webhook', /(?<before>discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/)[\w-]{60,80}/y, {
    keywords: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
  }),
  shaped('Discord bot token', /(?<![\w.-])[MNO][\w-]{23,28}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/y, {
    keywords: DISCORD_BEGINNINGS,
  }),
  shaped('Telegram bot token', /(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{32,34}(?![\w-])/y, {
    keywords: [':aa'],
    lead: [/\d/, 10],
  }),
  shaped('Teams webhook', /(?<before>\.webhook\.office\.com\/webhookb2\/)[\w@-]{36,80}\/[\w/-]{36,120}/y, {
    keywords: ['.webhook.office.com/'],
  }),
  shaped('Stripe key', /(?<![A-Za-z0-9])[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}/y, {
    keywords: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
  }),
  shaped('Stripe webhook secret', /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/=]{24,120}/y),
  shaped('Square token', /(?<![\w-])sq0(?:atp|csp|idp)-[\w-]{22,43}/y, {
    keywords: ['sq0atp-', 'sq0csp-', 'sq0idp-'],
  }),
  shaped('Square access token', /(?<![\w-])EAAA[\w-]{60}(?![\w-])/y),
  shaped('Shopify token', /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}(?![0-9a-fA-F])/y, {
    keywords: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
  }),
  shaped('Flutterwave key', /(?<![A-Za-z0-9])FLWSECK(?:_TEST|_LIVE)?-[A-Za-z0-9]{12,64}(?:-X)?/y),
  shaped('Twilio key', /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/y, {
    keywords: [...'0123456789abcdef'].map((digit) => `sk${digit}`),
  }),
  shaped(
    'Twilio auth token',
    /(?<before>\btwilio[\w.-]{0,24}token["']?\s{0,4}[:=]\s{0,4}["']?)[0-9a-f]{32}(?![0-9a-f])/iy,
    { keywords: ['twilio'] },
  ),
  shaped('SendGrid key', /(?<![\w.-])SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y),
  shaped('Mailgun key', /(?<![\w-])key-[0-9a-f]{32}(?![0-9a-f])/y),
  shaped('Mailchimp key', /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\d)/y, {
    keywords: ['-us'],
    lead: [/[0-9a-f]/, 32],
  }),
  shaped('Brevo key', /(?<![\w-])xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}(?![A-Za-z0-9])/y),
  shaped('Resend key', /(?<![A-Za-z0-9])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])/y),
  shaped('Linear key', /(?<![A-Za-z0-9])lin_(?:api|oauth)_[A-Za-z0-9]{32,80}/y, {
    keywords: ['lin_api_', 'lin_oauth_'],
  }),
  shaped(
    'Notion token',
    /(?<![A-Za-z0-9])(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]))/y,
    { keywords: ['ntn_', 'secret_'] },
  ),
  shaped('Figma token', /(?<![A-Za-z0-9])figd_[\w-]{36,60}/y),
  shaped('Airtable token', /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9a-f])/y),
  shaped('Dropbox token', /(?<![\w.-])sl\.(?:u\.)?[\w-]{100,1400}/y, { keywords: ['sl.'] }),
  shaped('Facebook token', /(?<![A-Za-z0-9])EAA[A-Z][A-Za-z0-9]{90,300}/y),
]
