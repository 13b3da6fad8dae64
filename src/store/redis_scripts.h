// SPDX-License-Identifier: Apache-2.0
// The Redis queue's steps that must happen whole, as Lua run by the server.
//
// Keys under a prefix P (one server: the scripts reach keys that no KEYS list names):
//   P:turns        stream, group "workers": an entry is one item to be served (job, index)
//   P:job:ID       hash: kind owner options items next finished failed state created ended expires
//                  keep digest idem; next is the first index not yet handed out
//   P:text:ID      hash: index -> sealed text, deleted with its outcome
//   P:result:ID    hash: index -> outcome letter (d, f, c) and the sealed result
//   P:tries:ID     hash: index -> times handed out
//   P:owner:HASH   sorted set of job ids by number;  P:idem:HASH -> job id
//   P:open         set of unfinished jobs;  P:number, P:again counters;  P:key proof of the vault
//
// A job has one entry in the stream at a time: handing out item i adds the entry of item i + 1 at
// the end. Jobs are so served in turn, in order of submission.
#pragma once

namespace seqgpt::redis_scripts {

// ARGV[1] is P everywhere. end_job sets what a finished job needs, its expiry included.
inline constexpr const char* kShared = R"lua(
local P = ARGV[1]
local function key(kind, id) return P .. ':' .. kind .. ':' .. id end
local function drop(entry)
  if entry ~= '' then
    redis.call('XACK', P .. ':turns', 'workers', entry)
    redis.call('XDEL', P .. ':turns', entry)
  end
end
local function end_job(id, state, now)
  local job = key('job', id)
  local keep = tonumber(redis.call('HGET', job, 'keep'))
  redis.call('HSET', job, 'state', state, 'ended', now, 'expires', now + keep)
  redis.call('HDEL', job, 'options')
  redis.call('DEL', key('text', id), key('tries', id))
  redis.call('PEXPIRE', job, keep)
  redis.call('PEXPIRE', key('result', id), keep)
  local idem = redis.call('HGET', job, 'idem')
  if idem and idem ~= '' then redis.call('PEXPIRE', key('idem', idem), keep) end
  redis.call('SREM', P .. ':open', id)
end
local function record(id, index, letter, sealed, now)
  local job = key('job', id)
  if redis.call('HSETNX', key('result', id), index, letter .. sealed) == 0 then return 0 end
  redis.call('HDEL', key('text', id), index)
  local finished = redis.call('HINCRBY', job, 'finished', 1)
  local failed = tonumber(redis.call('HINCRBY', job, 'failed', letter == 'd' and 0 or 1))
  local items = tonumber(redis.call('HGET', job, 'items'))
  if finished == items then end_job(id, failed == items and 3 or 2, now) end
  return 1
end
)lua";

// id, idem, digest, owner hash, max open jobs, kind, owner, options, items, created, keep
//   -> {id} or {id, 'existing'}, 'conflict', 'full'. The texts are there already, with a time limit
// that ends here.
inline constexpr const char* kCreate = R"lua(
local id, idem, digest, owner_hash = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('EXISTS', key('job', id)) == 1 then return {id} end
if idem ~= '' then
  local before = redis.call('GET', key('idem', idem))
  if before and redis.call('EXISTS', key('job', before)) == 1 then
    redis.call('DEL', key('text', id))
    if redis.call('HGET', key('job', before), 'digest') ~= digest then return 'conflict' end
    return {before, 'existing'}
  end
end
if redis.call('SCARD', P .. ':open') >= tonumber(ARGV[6]) then
  redis.call('DEL', key('text', id))
  return 'full'
end
redis.call('PERSIST', key('text', id))
redis.call('HSET', key('job', id), 'kind', ARGV[7], 'owner', ARGV[8], 'options', ARGV[9], 'items',
  ARGV[10], 'next', 0, 'finished', 0, 'failed', 0, 'state', 0, 'created', ARGV[11], 'ended', 0,
  'expires', 0, 'keep', ARGV[12], 'digest', digest, 'idem', idem, 'owner_hash', owner_hash)
if idem ~= '' then redis.call('SET', key('idem', idem), id) end
redis.call('ZADD', key('owner', owner_hash), redis.call('INCR', P .. ':number'), id)
redis.call('SADD', P .. ':open', id)
redis.call('XADD', P .. ':turns', '*', 'job', id, 'index', 0)
return {id}
)lua";

// entry, id, index, again, max attempts, now -> {kind, owner, options, text, tries}, or nil when
// there is nothing to do for it any more. May be called again for the same entry.
inline constexpr const char* kHandOut = R"lua(
local entry, id, index, again, now = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[7])
local job = key('job', id)
local facts = redis.call('HMGET', job, 'state', 'next', 'items', 'kind', 'owner', 'options')
if not facts[1] or tonumber(facts[1]) > 1 then drop(entry) return nil end
if tonumber(facts[2]) == index then
  redis.call('HSET', job, 'next', index + 1, 'state', 1)
  if index + 1 < tonumber(facts[3]) then
    redis.call('XADD', P .. ':turns', '*', 'job', id, 'index', index + 1)
  end
end
local text = redis.call('HGET', key('text', id), index)
if redis.call('HEXISTS', key('result', id), index) == 1 then drop(entry) return nil end
local tries = redis.call('HINCRBY', key('tries', id), index, 1)
if not text or tries > tonumber(ARGV[6]) then
  drop(entry)
  record(id, index, 'c', '', now)
  return nil
end
if again == '1' and tries == 1 then redis.call('DECR', P .. ':again') end
return {facts[4], facts[5], facts[6], text, tries}
)lua";

// entry, id, index, letter, sealed, now -> 1 recorded, 0 there was an outcome already
inline constexpr const char* kComplete = R"lua(
drop(ARGV[2])
local state = redis.call('HGET', key('job', ARGV[3]), 'state')
if not state or tonumber(state) > 1 then return 0 end
return record(ARGV[3], ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7]))
)lua";

// worker, entries...: sets the idle time of those still its own back to nothing -> how many
inline constexpr const char* kKeepAlive = R"lua(
local kept = 0
for i = 3, #ARGV do
  if #redis.call('XPENDING', P .. ':turns', 'workers', ARGV[i], ARGV[i], 1, ARGV[2]) > 0 then
    redis.call('XCLAIM', P .. ':turns', 'workers', ARGV[2], 0, ARGV[i], 'JUSTID')
    kept = kept + 1
  end
end
return kept
)lua";

// entry, id, index: back to the stream, untried
inline constexpr const char* kRelease = R"lua(
if redis.call('XACK', P .. ':turns', 'workers', ARGV[2]) == 0 then return 0 end
redis.call('XDEL', P .. ':turns', ARGV[2])
redis.call('HINCRBY', key('tries', ARGV[3]), ARGV[4], -1)
redis.call('INCR', P .. ':again')
redis.call('XADD', P .. ':turns', '*', 'job', ARGV[3], 'index', ARGV[4], 'again', 1)
return 1
)lua";

// id, now: an unfinished job is cancelled
inline constexpr const char* kCancel = R"lua(
local state = redis.call('HGET', key('job', ARGV[2]), 'state')
if state and tonumber(state) < 2 then end_job(ARGV[2], 4, tonumber(ARGV[3])) end
return 1
)lua";

// id
inline constexpr const char* kWipe = R"lua(
local id = ARGV[2]
local facts = redis.call('HMGET', key('job', id), 'idem', 'owner_hash')
if facts[1] and facts[1] ~= '' then redis.call('DEL', key('idem', facts[1])) end
if facts[2] then redis.call('ZREM', key('owner', facts[2]), id) end
redis.call('SREM', P .. ':open', id)
return redis.call('DEL', key('job', id), key('text', id), key('result', id), key('tries', id))
)lua";

// owner key: drops ids of expired jobs from one owner's list -> how many
inline constexpr const char* kTidyOwner = R"lua(
local gone = 0
for _, id in ipairs(redis.call('ZRANGE', ARGV[2], 0, -1)) do
  if redis.call('EXISTS', key('job', id)) == 0 then
    gone = gone + redis.call('ZREM', ARGV[2], id)
  end
end
return gone
)lua";

// -> {items not handed out yet, handed out, open jobs}
inline constexpr const char* kDepth = R"lua(
local waiting = tonumber(redis.call('GET', P .. ':again') or '0')
local open = redis.call('SMEMBERS', P .. ':open')
for _, id in ipairs(open) do
  local facts = redis.call('HMGET', key('job', id), 'items', 'next')
  if facts[1] then waiting = waiting + tonumber(facts[1]) - tonumber(facts[2]) end
end
return {waiting, redis.call('XPENDING', P .. ':turns', 'workers')[1], #open}
)lua";

}  // namespace seqgpt::redis_scripts
