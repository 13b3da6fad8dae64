// SPDX-License-Identifier: Apache-2.0
// Labels as strings and as objects, and the file of a firm's own fields.
#include "api/label_json.h"

#include <algorithm>

#include "api/json_fields.h"
#include "api/label_options.h"
#include "api/request_json.h"

namespace seqgpt {
namespace {

/// What a label and a field of a file both may say.
struct Narrowings {
  std::string description;
  std::string pattern;
  std::vector<std::string> one_of;
  std::optional<Mentions> mentions;
};

// What is given must say something: an empty pattern or list would leave no value at all.
Status not_empty(const Json& object, const char* name, bool empty, const std::string& path) {
  const auto found = object.find(name);
  if (!empty || found == object.end() || found->is_null()) return {};
  const std::string where = path + "." + name;
  return Error{ErrorCode::kUnbuildable, where + " is empty; leave it out", where};
}

/// What the option of the same name takes.
Result<Mentions> mentions_by_name(std::string_view name, const std::string& path) {
  RequestOptions options;
  const auto& choice = std::get<ChoiceSlot>(find_request_option("mentions")->slot);
  SEQGPT_TRY(set_choice(choice, name, path, options));
  return *options.rules.mentions;
}

Result<Narrowings> narrowings(const Json& object, const std::string& path) {
  Narrowings made;
  SEQGPT_ASSIGN(made.description, string_field(object, "description", path));
  SEQGPT_ASSIGN(made.pattern, string_field(object, "pattern", path));
  SEQGPT_ASSIGN(made.one_of, strings_field(object, "one_of", path));
  SEQGPT_ASSIGN(const std::string mentions, string_field(object, "mentions", path));
  SEQGPT_TRY(not_empty(object, "pattern", made.pattern.empty(), path));
  SEQGPT_TRY(not_empty(object, "one_of", made.one_of.empty(), path));
  if (!mentions.empty()) {
    SEQGPT_ASSIGN(made.mentions, mentions_by_name(mentions, path + ".mentions"));
  }
  return made;
}

Result<Label> label_from_object(const Json& object, const std::string& path) {
  SEQGPT_TRY(only_fields(
      object, path, {"name", "type", "alias", "description", "pattern", "one_of", "mentions"}));
  if (!object.contains("name")) return wrong_field(path + ".name", "is missing");
  Label label;
  SEQGPT_ASSIGN(label.name, string_field(object, "name", path));
  SEQGPT_ASSIGN(label.type, string_field(object, "type", path));
  SEQGPT_ASSIGN(label.key, string_field(object, "alias", path));
  if (!label.type.empty() && !is_field_type(label.type))
    return wrong_field(path + ".type", "\"" + label.type + "\" is not a known field type");
  SEQGPT_ASSIGN(Narrowings more, narrowings(object, path));
  label.description = std::move(more.description);
  label.pattern = std::move(more.pattern);
  label.one_of = std::move(more.one_of);
  label.mentions = more.mentions;
  return label;
}

Result<Field> field_from_json(const Json& value, const std::string& type, const std::string& path) {
  Field field{"", type};
  if (value.is_string()) {
    field.name = value.get<std::string>();
    return field;
  }
  if (!value.is_object()) return wrong_field(path, "must be a name or an object with a name");
  SEQGPT_TRY(only_fields(
      value, path, {"name", "synonyms", "kind", "description", "pattern", "one_of", "mentions"}));
  SEQGPT_ASSIGN(field.name, string_field(value, "name", path));
  SEQGPT_ASSIGN(field.synonyms, strings_field(value, "synonyms", path));
  SEQGPT_ASSIGN(field.kind, string_field(value, "kind", path));
  SEQGPT_ASSIGN(Narrowings more, narrowings(value, path));
  field.description = std::move(more.description);
  field.pattern = std::move(more.pattern);
  field.one_of = std::move(more.one_of);
  field.mentions = more.mentions;
  return field;
}

/// A field must be fit to be a label, by its own name and by each synonym.
Status check_field(const Field& field, const std::string& path) {
  if (field.synonyms.size() > kMaxSynonyms) {
    return wrong_field(path + ".synonyms", "has " + std::to_string(field.synonyms.size()) +
                                               " entries, the limit is " +
                                               std::to_string(kMaxSynonyms));
  }
  const bool known_kind = std::ranges::find(kIdKinds, field.kind) != std::end(kIdKinds);
  if (!field.kind.empty() && (field.type != "id" || !known_kind)) {
    return wrong_field(path + ".kind",
                       "must be id_card, uscc, bank_card, plate or postal, of a field of type id");
  }
  Label label{field.name, "", field.type};
  label.description = field.description;
  label.pattern = field.pattern;
  label.one_of = field.one_of;
  std::vector<std::string> names = field.synonyms;
  names.insert(names.begin(), field.name);
  for (const std::string& name : names) {
    label.name = name;
    const auto checked = check_labels({label});
    if (checked.ok()) continue;
    // The check speaks of labels[0]; here it is a field of the file.
    const std::string& message = checked.error().message;
    const size_t spoken = message.starts_with("labels[0]") ? 9 : 0;
    return Error{ErrorCode::kInvalidArgument, path + message.substr(spoken), path};
  }
  return {};
}

Status add_fields(const Json& file, FieldTable& table) {
  if (!file.is_object()) return wrong_field("the file", "must be an object {type: [fields]}");
  size_t count = 0;
  for (const auto& [type, fields] : file.items()) {
    if (!is_field_type(type)) return wrong_field("\"" + type + "\"", "is no field type");
    if (!fields.is_array()) return wrong_field(type, "must be a list of fields");
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::string path = type + "[" + std::to_string(i) + "]";
      if (++count > kMaxOwnFields) {
        return wrong_field(
            path, "is one too many; the limit is " + std::to_string(kMaxOwnFields) + " fields");
      }
      SEQGPT_ASSIGN(Field field, field_from_json(fields[i], type, path));
      SEQGPT_TRY(check_field(field, path));
      const Status added = table.add(std::move(field));
      if (!added.ok()) return wrong_field(path + ":", added.error().message);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Label>> labels_from_json(const Json& labels) {
  if (!labels.is_array()) return wrong_field("labels", "must be a list of names or label objects");
  std::vector<Label> parsed;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string path = "labels[" + std::to_string(i) + "]";
    if (labels[i].is_string()) {
      Label label;
      label.name = labels[i].get<std::string>();
      parsed.push_back(std::move(label));
    } else if (labels[i].is_object()) {
      SEQGPT_ASSIGN(Label label, label_from_object(labels[i], path));
      parsed.push_back(std::move(label));
    } else {
      return wrong_field(path, "must be a string or an object with a name");
    }
  }
  return parsed;
}

Result<std::shared_ptr<const FieldTable>> fields_from_json(std::string_view text,
                                                           const std::string& file) {
  const auto refuse = [&](const std::string& message, ErrorCode code) {
    return Error{code, file + ": " + message, "fields"};
  };
  if (text.size() > kMaxFieldsFileBytes)
    return refuse("is larger than 1 MiB; split it", ErrorCode::kTooLarge);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const Result<Json> parsed = parse_json(text);
  if (!parsed.ok()) return refuse(parsed.error().message, ErrorCode::kInvalidArgument);
  auto table = std::make_shared<FieldTable>(*FieldTable::standard());
  const Status added = add_fields(*parsed, *table);
  if (!added.ok()) return refuse(added.error().message, ErrorCode::kInvalidArgument);
  return std::shared_ptr<const FieldTable>(std::move(table));
}

}  // namespace seqgpt
