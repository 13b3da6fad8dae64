// SPDX-License-Identifier: Apache-2.0
// The schemas of requests, made from the table of options and the limits of labels and texts.
#include "api/openapi_parts.h"
#include "pipeline/pipeline.h"
#include "task/pattern.h"

namespace seqgpt {
namespace {

Json text_of(std::string_view text) {
  return std::string(text);
}

Json schema_of(OptionSlot<bool> slot, const RequestOption&, RequestOptions& defaults) {
  return {{"type", "boolean"}, {"default", slot(defaults)}};
}

Json schema_of(OptionSlot<int> slot, const RequestOption& option, RequestOptions& defaults) {
  return {{"type", "integer"},
          {"minimum", static_cast<int64_t>(option.least)},
          {"maximum", static_cast<int64_t>(option.most)},
          {"default", slot(defaults)}};
}

Json schema_of(OptionSlot<double> slot, const RequestOption& option, RequestOptions& defaults) {
  return {{"type", "number"},
          {"minimum", option.least},
          {"maximum", option.most},
          {"default", slot(defaults)}};
}

Json schema_of(OptionSlot<std::string>, const RequestOption&, RequestOptions&) {
  return {{"type", "string"}};
}

Json schema_of(OptionSlot<std::vector<std::string>>, const RequestOption& option, RequestOptions&) {
  return {{"type", "array"},
          {"items", {{"type", "string"}, {"minLength", 1}}},
          {"maxItems", static_cast<int64_t>(option.most)}};
}

Json schema_of(const ChoiceSlot& choice, const RequestOption&, RequestOptions& defaults) {
  Json names = Json::array();
  for (const std::string_view name : choice.names) names.push_back(text_of(name));
  Json schema = {{"type", "string"}, {"enum", std::move(names)}};
  if (const auto chosen = choice.get(defaults)) schema["default"] = text_of(choice.names[*chosen]);
  return schema;
}

/// null counts as not said.
Json nullable(Json schema) {
  schema["type"] = Json::array({schema["type"], "null"});
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  return schema;
}

Json option_schema(const RequestOption& option) {
  RequestOptions defaults;
  Json schema =
      std::visit([&](const auto& slot) { return schema_of(slot, option, defaults); }, option.slot);
  schema["description"] = text_of(option.meaning);
  return nullable(std::move(schema));
}

Json strict_object(Json properties, Json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json text_schema() {
  return {{"type", "string"},
          {"minLength", 1},
          {"description", "at most " + std::to_string(kMaxTextCharacters) + " characters"}};
}

Json labels_schema(size_t least) {
  return {{"type", "array"},
          {"items", schema_ref("Label")},
          {"minItems", least},
          {"maxItems", kMaxLabels}};
}

template <size_t kSize>
Json enum_of(const std::string_view (&names)[kSize]) {
  Json values = Json::array();
  for (const std::string_view name : names) values.push_back(text_of(name));
  return {{"type", "string"}, {"enum", std::move(values)}};
}

Json label_schema() {
  const Json name = {{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxLabelCharacters}};
  Json properties = {{"name", name}, {"type", nullable(enum_of(kFieldTypes))}};
  properties["alias"] = nullable({{"type", "string"}, {"maxLength", kMaxLabelCharacters}});
  properties["description"] =
      nullable({{"type", "string"}, {"maxLength", kMaxDescriptionCharacters}});
  properties["pattern"] = nullable({{"type", "string"},
                                    {"minLength", 1},
                                    {"maxLength", kMaxPatternBytes},
                                    {"description", "RE2; a value must match it as a whole"}});
  properties["one_of"] = nullable(
      {{"type", "array"},
       {"items", {{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxOneOfCharacters}}},
       {"minItems", 1},
       {"maxItems", kMaxOneOf},
       {"description", "a value must be one of these"}});
  properties["mentions"] = option_schema(*find_request_option("mentions"));
  return {
      {"oneOf", Json::array({name, strict_object(std::move(properties), Json::array({"name"}))})},
      {"description", "A name taken as it is, or an object that says more."}};
}

Json options_schema(unsigned task) {
  Json properties = Json::object();
  for (const RequestOption& option : request_options()) {
    if ((option.tasks & task) != 0) properties[std::string(option.name)] = option_schema(option);
  }
  return properties;
}

/// One text: its labels and options.
Json single_schema(unsigned task) {
  const bool labelled = task != kForGenerate;
  Json properties = {{"text", text_schema()}, {"labels", labels_schema(labelled ? 1 : 0)}};
  properties.update(options_schema(task));
  Json required = Json::array({"text"});
  if (labelled) required.push_back("labels");
  return strict_object(std::move(properties), std::move(required));
}

/// Many texts; what an item does not say is taken from beside the items.
Json many_schema(unsigned task) {
  Json item = {{"id", {{"description", "comes back with the result"}}}};
  item.update(single_schema(task)["properties"]);
  Json properties = {{"items",
                      {{"type", "array"},
                       {"items", strict_object(std::move(item), Json::array({"text"}))},
                       {"minItems", 1}}},
                     {"labels", labels_schema(0)}};
  properties.update(options_schema(task));
  return strict_object(std::move(properties), Json::array({"items"}));
}

}  // namespace

Json request_schemas() {
  Json schemas = {{"Label", label_schema()}};
  schemas["ExtractRequest"] = single_schema(kForExtract);
  schemas["ClassifyRequest"] = single_schema(kForClassify);
  schemas["GenerateRequest"] = single_schema(kForGenerate);
  schemas["ExtractBatch"] = many_schema(kForExtract);
  schemas["ClassifyBatch"] = many_schema(kForClassify);
  const auto either = [](const char* one, const char* many) {
    return Json{{"oneOf", Json::array({schema_ref(one), schema_ref(many)})}};
  };
  schemas["ExtractJob"] = either("ExtractRequest", "ExtractBatch");
  schemas["ClassifyJob"] = either("ClassifyRequest", "ClassifyBatch");
  return schemas;
}

}  // namespace seqgpt
