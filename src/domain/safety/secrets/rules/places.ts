import { type SecretRule, shaped } from '../rule.ts'
import { isCardNumber, isKey, isPassword, isPlaceholder, isRandomKey, isWordPassword } from '../values.ts'

const isNoPlaceholder = (value: string): boolean => !isPlaceholder(value)

/** The first digits of the issuers' ranges. */
const CARD_BEGINNINGS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0')).filter(
  (begin) => /^(?:4|5[1-5]|2[2-7]|3[47]|60|65)/.test(begin),
)

/** Names of cookies that stand for whoever is logged in. */
const SESSION_NAME =
  '[\\w.-]{0,32}(?:sess|sid|auth|token|jwt|login|remember|csrf|xsrf|identity|ticket)[\\w.-]{0,32}'

/** Secrets that stand where protocols put them: addresses, headers, cookies, and the numbers of cards. */
export const PLACE_RULES: readonly SecretRule[] = [
  shaped(
    'authorization header',
    /(?<before>\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token|apikey|bot|api-key|key|ssws|negotiate|digest|jwt|oauth)\s{1,4})?)[\w+/=.~-]{16,4096}/iy,
    { keywords: ['authorization'], accepts: (value) => !isPlaceholder(value) && /\d|==?$/.test(value) },
  ),
  shaped(
    'authorization header',
    /(?<before>\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:bearer|basic|token|apikey|bot)\s{1,4})[\w+/=.~-]{8,4096}/iy,
    { keywords: ['authorization'], accepts: isNoPlaceholder },
  ),
  shaped('bearer token', /(?<before>\bbearer\s{1,4})[\w+/=.~-]{20,4096}/iy, {
    accepts: (value) => /\d/.test(value) && /[A-Za-z]/.test(value),
  }),
  shaped(
    'session cookie',
    new RegExp(`(?<before>(?<![\\w.-])${SESSION_NAME}=)[^\\s;,"'<>&]{16,4096}`, 'iy'),
    {
      keywords: [
        'sess',
        'sid=',
        '.sid',
        '_sid',
        'auth',
        'token=',
        'jwt=',
        'login',
        'remember',
        'csrf',
        'xsrf',
        'identity',
        'ticket',
      ],
      lead: [/[\w.-]/, 32],
      accepts: (value) => !isPlaceholder(value) && /\d/.test(value) && /[A-Za-z]/.test(value),
    },
  ),
  shaped(
    'session cookie',
    /(?<before>\b(?:set-)?cookie["']?\s{0,4}[:=]\s{0,4}["']?(?:[^\s;=]{1,64}=[^\s;]{0,256};\s{0,4}){0,12}?[^\s;=]{1,64}=)(?=[^\s;]{0,255}\d)[^\s;,"']{16,4096}/iy,
    { keywords: ['cookie'], accepts: (value) => !isPlaceholder(value) && /[A-Za-z]/.test(value) },
  ),
  shaped(
    'connection string password',
    /(?<before>\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|valkey|amqps?|mssql|sqlserver|clickhouse|cockroachdb|neo4j|bolt|nats|ldaps?|smtps?|imaps?|oracle|db2|snowflake|couchbases?|couchdb|cassandra|trino|presto|s?ftps?|ssh|rsync|mqtts?|kafka|elasticsearch|influxdb)(?:\+\w{1,16})?:\/\/[^\s:@/]{0,100}:)[^\s@]{1,200}(?=@)/iy,
    { keywords: ['://'], lead: [/[\w+]/, 32], accepts: isNoPlaceholder },
  ),
  shaped(
    'password in a URL',
    /(?<before>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,200}(?=@)/iy,
    {
      keywords: ['://'],
      lead: [/[\w+.-]/, 21],
      accepts: (value) => isNoPlaceholder(value) && value !== 'x-oauth-basic',
    },
  ),
  shaped(
    'connection string password',
    /(?<before>\bjdbc:oracle:\w{1,8}:[\w.$#-]{1,64}\/)[^\s"'@]{3,128}(?=@)/iy,
    {
      accepts: isNoPlaceholder,
    },
  ),
  shaped(
    'password',
    /(?<before>\b(?:credentials?|creds|login|user\/pass(?:word)?)["']?\s{0,2}[:=]\s{0,4}["'`]?[a-z][\w.@+-]{1,31}\s?\/\s?)[^\s"'`,;/]{5,64}/iy,
    { keywords: ['credential', 'creds', 'login', 'user/pass'], accepts: isPassword, isGuess: true },
  ),
  shaped('token in a URL', /(?<before>\bhttps?:\/\/)[\w.-]{20,400}(?=(?::x-oauth-basic)?@)/iy, {
    keywords: ['http://', 'https://'],
    accepts: (value) => isKey(value) && /^[\w-]+$/.test(value),
  }),
  shaped(
    'connection string password',
    /(?<before>[;?&"'][ \t]{0,2}(?:password|pwd|pass)=)[^\s;&"'<>]{1,128}/iy,
    {
      keywords: ['password=', 'pwd=', 'pass='],
      lead: [/[;?&"' ]/, 2],
      accepts: isNoPlaceholder,
    },
  ),
  shaped(
    'key in a URL',
    /(?<before>[?&](?:key|api[_-]?key|token|access_token|auth|code|signature|x-amz-signature|x-goog-signature)=)[\w%.~+/=-]{16,2000}/iy,
    {
      keywords: [
        '?key=',
        '&key=',
        '?api',
        '&api',
        '?token=',
        '&token=',
        '?access_token=',
        '&access_token=',
        '?auth=',
        '&auth=',
        '?code=',
        '&code=',
        '?signature=',
        '&signature=',
        '&x-amz-signature=',
        '&x-goog-signature=',
      ],
      accepts: isKey,
    },
  ),
  shaped('one-time password seed', /(?<before>\botpauth:\/\/[^\s"']{1,256}?[?&]secret=)[A-Z2-7=]{8,128}/iy, {
    keywords: ['otpauth://'],
  }),
  shaped('wireless password', /(?<before>\bWIFI:(?:[TSHRI]:[^;\n]{0,64};){0,4}P:)(?:[^;\n\\]|\\.){1,128}/iy, {
    keywords: ['wifi:'],
  }),
  shaped(
    'connection string password',
    /(?<before>\b(?:data source|server|host|user id|uid|dsn|driver|initial catalog)=[^\n"']{0,300}?[; ](?:password|pwd)=["']?)[^\s;&"'<>]{1,128}/iy,
    {
      keywords: [
        'data source=',
        'server=',
        'host=',
        'user id=',
        'uid=',
        'dsn=',
        'driver=',
        'initial catalog=',
      ],
      accepts: isNoPlaceholder,
    },
  ),
  shaped(
    'wallet private key',
    /(?<before>\bprivate[ _-]?key\W{1,8}(?:is\s{1,4})?)(?:0x)?[0-9a-f]{64}(?![0-9a-f])/iy,
    {
      keywords: ['private key', 'private_key', 'private-key', 'privatekey'],
    },
  ),
  shaped(
    'key',
    /(?<before>(?<![\w.-]|\b(?:public|verify|verification)[ _-])key["'`]?\s{0,4}(?:=>|:=|={1,2}|:)\s{0,4}["'`]?)[\w+/=.~-]{24,512}/iy,
    {
      keywords: ['key'],
      accepts: isRandomKey,
      isGuess: true,
    },
  ),
  shaped(
    'password',
    /(?<before>\b(?:(?:basic|digest)[ _-]?auth|auth[ _-]basic)\W{1,4}["']?[\w.@-]{1,64}:)[^\s"']{4,128}/iy,
    {
      keywords: ['basic', 'digest', 'auth_basic', 'auth basic', 'auth-basic'],
      accepts: isPassword,
      isGuess: true,
    },
  ),
  shaped(
    'card number',
    /(?<![\w.,+-])(?:\d{15,16}|(?:\d{4}[ -]){3}\d{4}|\d{4}[ -]\d{6}[ -]\d{5})(?![\w-])/y,
    {
      keywords: CARD_BEGINNINGS,
      accepts: isCardNumber,
    },
  ),
  shaped(
    'card security code',
    /(?<before>\b(?:cvv2?|cvc2?|card security code)(?: (?:is|was))?\s{0,2}[:=]?\s{0,2})\d{3,4}(?!\d)/iy,
    {
      keywords: ['cvv', 'cvc', 'card security code'],
    },
  ),
  shaped(
    'pin',
    /(?<before>(?<![\w-])pin(?: (?:of|for|to|on) [^\n.:;?!]{1,48}?)?(?: (?:is|was|ist|lautet|es|est)\s{1,2}|\s{0,2}[:=]\s{0,2}))(?:\d{4}|\d{6})(?![\w.,:/-]\d|\d)/iy,
    {
      keywords: ['pin ', 'pin:', 'pin='],
      accepts: isWordPassword,
      isGuess: true,
    },
  ),
]
