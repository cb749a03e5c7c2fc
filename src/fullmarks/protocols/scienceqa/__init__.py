"""ScienceQA: multiple choice by index, by subject, context, grade and topic; or the texts of LLaVA's runs."""
